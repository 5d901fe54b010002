"""LSTM-Jump: an LSTM that reads some words, then decides how far to jump, and learns the decisions from its answers.

Source     Yu, Lee, Le, "Learning to Skim Text", ACL 2017, section 2: the model, training by REINFORCE, inference. From
           public code, a summary and memory, not checked against the paper.
Equation   after each R words, p(j) = softmax(W_a h + b_a) over 0 ... K; the next word is the j-th after the last one
           read. Reading ends at 0, after N jumps and the R words that follow, or at the text's end; the last state is
           classified. J = J_1 - J_2 + J_3: the cross-entropy; sum_i log p(j_i) (r - b_i), whose gradient is that of the
           expected reward r, 1 for a right answer and -1 for a wrong one; sum_i (r - b_i)^2 with b_i = w_b h_i + c_b.
Reading    J_2 has a gradient only for the jump's parameters, as the paper writes it, and J_3 only for the baseline's:
           both treat h as a constant. One walk through each text per step. A text whose last word is read makes no
           jump; a jump past its end counts as one. In evaluation every jump is the most likely one, and R and N have
           separate values.
Decision   dropout on the word vectors, as in public code. One layer.
Shapes     B texts, T words (padded on the right), R words between jumps, D vector size, H states, C classes.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Count, CountOrZero, Share
from retable.layers.recurrent import recurrent_flops
from retable.layers.wide import at_least_float32


class Jump(NamedTuple):
    """Hold one decision per text: log p(j), b, and whether the text was still being read, (B,) each."""

    log_p: Tensor
    baseline: Tensor
    made: Tensor


class DecisionJumps(Network):
    """LSTM that jumps over words.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        hidden: states of the LSTM.
        read: words before each jump in training, R.
        jumps: maximum number per text in training, N.
        test_read: words before each jump in evaluation.
        test_jumps: maximum number per text in evaluation.
        largest_jump: maximum words per jump, K; 1 is the next word.
        dropout: share of the word vectors' components that are dropped in training, in [0, 1).
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        hidden: Count = 128,
        read: Count = 20,
        jumps: CountOrZero = 5,
        test_read: Count = 80,
        test_jumps: CountOrZero = 8,
        largest_jump: Count = 40,
        dropout: Share = 0.1,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.read, self.jumps, self.test_read, self.test_jumps = read, jumps, test_read, test_jumps
        self.lstm = nn.LSTM(embedding.dim, hidden, batch_first=True)
        self.jump = nn.Linear(hidden, largest_jump + 1)  # W_a and b_a
        self.baseline = nn.Linear(hidden, 1)  # w_b and c_b
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, classes)
        self.seen: tuple[Tensor, list[Jump]] | None = None  # in training, from forward to auxiliary_loss

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        h, made = self.skim(self.dropout(self.embedding(words)), mask.sum(dim=1))
        logits: Tensor = self.output(h)
        if self.training:
            self.seen = logits, made
        return logits

    def skim(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, list[Jump]]:
        """Return each text's last state (B, H) and the jumps made.

        Args:
            x: word vectors, (B, T, D).
            lengths: words of each text, (B,).
        """
        read, allowed = (self.read, self.jumps) if self.training else (self.test_read, self.test_jumps)
        stretch = torch.arange(min(read, x.shape[1]), device=x.device)
        start, goes_on = torch.zeros_like(lengths), torch.ones_like(lengths, dtype=torch.bool)
        h = c = x.new_zeros(len(x), self.lstm.hidden_size)
        made: list[Jump] = []
        for number in range(allowed + 1):
            last, c = self.read_on(x, start.unsqueeze(1) + stretch, lengths, h, c)
            h = torch.where(goes_on.unsqueeze(1), last, h)
            goes_on = goes_on & (start + read < lengths)
            if number == allowed or not goes_on.any():
                break
            j, jump = self.decided(h, goes_on)
            made.append(jump)
            start = start + read - 1 + j  # from the last word read
            goes_on = goes_on & (j > 0) & (start < lengths)
        return h, made

    def read_on(self, x: Tensor, places: Tensor, lengths: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """Return the state h at the last of some places (B, R) inside each text, and c after all, (B, H) each."""
        columns = places.clamp(max=x.shape[1] - 1).unsqueeze(2).expand(-1, -1, x.shape[2])
        states, (_, c) = self.lstm(x.gather(1, columns), (h.unsqueeze(0), c.unsqueeze(0)))
        last = (places < lengths.unsqueeze(1)).sum(dim=1).clamp(min=1) - 1
        return states[torch.arange(len(x), device=x.device), last], c.squeeze(0)

    def decided(self, h: Tensor, goes_on: Tensor) -> tuple[Tensor, Jump]:
        """Return the jump of each text, int64 (B,), and the decision: sampled in training, else the most likely."""
        h = h.detach()
        log_p = at_least_float32(self.jump(h)).log_softmax(dim=1)  # W_a h + b_a, (B, K + 1)
        j = torch.multinomial(log_p.exp(), 1) if self.training else log_p.argmax(dim=1, keepdim=True)
        return j.squeeze(1), Jump(log_p.gather(1, j).squeeze(1), at_least_float32(self.baseline(h)).squeeze(1), goes_on)

    def auxiliary_loss(self, classes: Tensor) -> Tensor:
        """Return -J_2 + J_3, averaged over the texts of the last training batch of `forward`."""
        seen, self.seen = self.seen, None
        assert seen is not None, "call forward first, in training"
        logits, made = seen
        right = logits.argmax(dim=1) == classes
        reward = at_least_float32(right.to(logits.dtype)) * 2 - 1  # r
        loss = reward.new_zeros(len(reward))
        for jump in made:
            better = reward - jump.baseline
            of_jump = better.square() - jump.log_p * better.detach()  # J_3 - J_2
            loss = loss + torch.where(jump.made, of_jump, 0)
        return loss.mean()

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add), the most in evaluation: gates per word, K + 1 per jump."""
        words = min(words_per_text, (self.test_jumps + 1) * self.test_read)
        jumps = min(self.test_jumps, -(-words_per_text // self.test_read) - 1)
        of_text = jumps * self.jump.weight.numel() + self.output.weight.numel()
        return (words * recurrent_flops(self.lstm) + 2 * of_text) / words_per_text
