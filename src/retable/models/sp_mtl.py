"""SP-MTL: an LSTM shared by all domains and a private LSTM per domain, with a classifier per domain on both.

Source     Liu, Qiu, Huang, "Adversarial Multi-task Learning for Text Classification", ACL 2017: LSTM and softmax on its
           last state of section 2, the shared-private model of section 3 (FCSR's table 5 calls it SPMTL).
Reading    s_t = LSTM(s_{t-1}, x_t) with weights of all domains, h_t = LSTM(h_{t-1}, x_t) with those of the text's
           domain; a domain's softmax reads the last states of both, [h_T; s_T]. The adversary and the orthogonality
           constraint of sections 4 and 5, which make it ASP-MTL, are left out. A batch has one domain, as the paper
           draws one task per step; each domain gets its share of the steps.
Decision   dropout on [h_T; s_T].
Shapes     B texts, T words (padded on the right), D vector size, H states of an LSTM, K domains, C classes.
"""

from typing import cast

import torch
from torch import Tensor, nn

from retable.layers.domains import texts_of_each
from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network, Task
from retable.layers.options import Count, Share
from retable.layers.recurrent import last_of, recurrent_flops, states_of_words


class SPMTL(Network):
    """Shared-private model for texts of several domains.

    Args:
        embedding: the word vectors, shared by all domains.
        classes: number of classes, in every domain.
        domains: number of domains, 1 or more.
        hidden: states of the shared LSTM and of each domain's LSTM.
        dropout: dropout rate on the text vector, in [0, 1).
    """

    reads = ("domains",)
    domain_a_batch = True

    def __init__(
        self, embedding: WordEmbedding, classes: int, domains: int, *, hidden: Count = 150, dropout: Share = 0.5
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.shared = nn.LSTM(embedding.dim, hidden, batch_first=True)
        self.private = nn.ModuleList(nn.LSTM(embedding.dim, hidden, batch_first=True) for _ in range(domains))
        self.dropout = nn.Dropout(dropout)
        self.outputs = nn.ModuleList(nn.Linear(2 * hidden, classes) for _ in range(domains))  # W^k, b^k
        self.classes = classes

    @classmethod
    def needs(cls, task: Task) -> tuple[object, ...]:
        """Return the numbers of classes and of domains."""
        return task.classes, len(task.domains)

    def forward(self, words: Tensor, mask: Tensor, domains: Tensor) -> Tensor:
        """Map words (B, T), their mask and the domain of each text, (B,), to logits (B, C)."""
        x, lengths = self.embedding(words), mask.sum(dim=1)
        shared = last_of(states_of_words(self.shared, x, mask), mask)  # s_T, (B, H)
        private, logits = torch.empty_like(shared), shared.new_empty(len(words), self.classes)
        texts_of = texts_of_each(domains)
        for domain, own in texts_of.items():
            longest = int(lengths[own].max())
            lstm = cast(nn.LSTM, self.private[domain])
            there = mask[own, :longest]
            private[own] = last_of(states_of_words(lstm, x[own, :longest], there), there)  # h_T
        text = self.dropout(torch.cat((private, shared), dim=1))  # (B, 2 H)
        for domain, own in texts_of.items():
            logits[own] = self.outputs[domain](text[own]).to(logits.dtype)
        return logits

    def flops_per_word(self, words_per_text: float) -> float:
        """Return forward FLOPs, two per multiply-add: the shared and one private LSTM per word, 2 H C per text."""
        of_text = 2 * 2 * self.shared.hidden_size * self.classes
        return 2 * recurrent_flops(self.shared) + of_text / words_per_text
