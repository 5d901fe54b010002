"""DMN: the words' states are read several times through gates that depend on a question and the memory so far.

Source     Kumar, Irsoy, Ondruska et al., "Ask Me Anything: Dynamic Memory Networks for Natural Language Processing",
           ICML 2016, section 2. From code (github.com/YerevaNN/Dynamic-memory-networks-in-Theano, dmn_basic.py, not the
           authors') and notes, not checked against the paper; equations are named here, not numbered.
Equations  input: c_t = GRU(x_t, c_(t-1)). Features: z = [c, m, q, c q, c m, |c - q|, |c - m|, c^T W_b q, c^T W_b m].
           Gate: g_t = sigma(W_2 tanh(W_1 z(c_t, m, q) + b_1) + b_2). Episode: h_t = g_t GRU(c_t, h_(t-1)) +
           (1 - g_t) h_(t-1), e = h_T. Memory: m = GRU(e, m) at each pass, first m = q. Answer: softmax(W_a m).
Reading    one question is asked of all texts, so its vector q is learned and has no words. The answer is one class: the
           answer module takes no GRU step and reads the last memory. Episode and memory have separate GRUs (one in that
           code). No vector stands for the end of the passes, which the paper has as an option.
Departure  torch's GRU has a second bias, inside the reset gate's product.
Decision   the episodes read words, for texts of any length, not the ends of sentences. Two passes; 100 states, as many
           units in the gate, dropout rates and training are ours: the paper's were not seen.
Shapes     B texts, T words (padded on the right), D vector size, H states, C classes.
"""

import torch
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Count, Share
from retable.layers.products import Linear
from retable.layers.recurrent import recurrent_flops, states_of_words


class DMN(Network):
    """Dynamic memory network with one learned question.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        hidden: states of words, episodes and memory, and units of the gate.
        passes: number of passes over the words' states.
        dropout_words: share of the word vectors' components that are dropped in training, in [0, 1).
        dropout: the same for the last memory.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        hidden: Count = 100,
        passes: Count = 2,
        dropout_words: Share = 0.3,
        dropout: Share = 0.5,
    ) -> None:
        super().__init__()
        self.embedding, self.hidden, self.passes = embedding, hidden, passes
        self.input = nn.GRU(embedding.dim, hidden, batch_first=True)
        self.question = nn.Parameter(torch.empty(hidden).normal_(std=0.1))  # q
        self.similar = nn.Linear(hidden, hidden, bias=False)  # W_b
        self.gate = nn.Sequential(Linear(7 * hidden + 2, hidden), nn.Tanh(), nn.Linear(hidden, 1))  # W_1, W_2
        self.episode_words, self.episode_states = Linear(hidden, 3 * hidden), Linear(hidden, 3 * hidden)
        self.memory = nn.GRUCell(hidden, hidden)
        self.dropout_words, self.dropout = nn.Dropout(dropout_words), nn.Dropout(dropout)
        self.output = nn.Linear(hidden, classes)  # W_a

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        x = self.dropout_words(self.embedding(words))  # (B, T, D)
        c = states_of_words(self.input, x, mask)
        of_words = self.episode_words(c)  # (B, T, 3 H), the same in all passes
        m = self.question.expand(len(c), -1)
        for _ in range(self.passes):
            gates = torch.sigmoid(self.gate(self.features(c, m))) * mask.unsqueeze(2)  # g_t, (B, T, 1); 0 on padding
            m = self.memory(self.episode(of_words, gates), m)
        logits: Tensor = self.output(self.dropout(m))
        return logits

    def features(self, c: Tensor, m: Tensor) -> Tensor:
        """Return z of every word, (B, T, 7 H + 2), from its state c (B, T, H) and the memory (B, H)."""
        q, m = self.question.expand_as(c), m.unsqueeze(1).expand_as(c)
        asked = self.similar(torch.stack([q[:, 0], m[:, 0]], dim=2).transpose(1, 2))  # W_b q and W_b m, (B, 2, H)
        alike = c @ asked.transpose(1, 2)  # (B, T, 2)
        return torch.cat([c, m, q, c * q, c * m, (c - q).abs(), (c - m).abs(), alike], dim=2)

    def episode(self, of_words: Tensor, gates: Tensor) -> Tensor:
        """Return e, (B, H), from the GRU's input terms of each word (B, T, 3 H) and the gates (B, T, 1)."""
        h = of_words.new_zeros(len(of_words), self.hidden)
        for of_word, gate in zip(of_words.unbind(dim=1), gates.unbind(dim=1), strict=True):
            reset_word, keep_word, new_word = of_word.chunk(3, dim=1)
            reset_state, keep_state, new_state = self.episode_states(h).chunk(3, dim=1)
            new = torch.tanh(new_word + torch.sigmoid(reset_word + reset_state) * new_state)
            h = torch.lerp(h, torch.lerp(new, h, torch.sigmoid(keep_word + keep_state)), gate)  # g GRU + (1 - g) h
        return h

    def flops_per_word(self, words_per_text: float) -> float:
        """Count FLOPs (2 per multiply-add): 3 H (D + 2 H) per word, gate and episode per pass; memory and W_b."""
        layers = (self.gate, self.episode_states)
        of_pass = sum(weight.numel() for layer in layers for weight in layer.parameters() if weight.dim() == 2)
        of_pass += 2 * self.hidden  # c^T W_b q and c^T W_b m
        of_memory = self.memory.weight_ih.numel() + self.memory.weight_hh.numel() + 2 * self.similar.weight.numel()
        of_text = self.passes * of_memory + self.output.weight.numel()
        of_word = self.episode_words.weight.numel() + self.passes * of_pass
        return recurrent_flops(self.input) + 2 * (of_word + of_text / words_per_text)
