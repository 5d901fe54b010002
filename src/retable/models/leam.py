"""LEAM: labels are vectors among the words; a text is the mean of its words, weighted by their likeness to a label.

Source     Wang et al., "Joint Embedding of Words and Labels for Text Classification", ACL 2018, section 4; the authors'
           code, guoyinwang/LEAM.
Equations  G = (C^T V) / (lengths of both), cosines; u_l = ReLU(G_{l-r:l+r} W_1 + b_1), one number per label; m_l = max
           of u_l; beta = softmax(m) over the words; z = sum_l beta_l v_l; y = f_2(z). To the cross-entropy of the texts
           the loss adds the mean over labels of the cross-entropy of f_2(c_k) with k.
Reading    W_1 has 2 r + 1 numbers, one filter for all labels, and b_1 one per label, as printed; the authors' code has
           a filter for every pair of labels. G is zero beyond the ends of a text. f_2 has a hidden layer of 300 ReLU
           units, r is 27 and the label loss has weight 1, as in that code. Dropout is on the last layer of f_2.
Decision   a label starts as the mean vector of the words of its name that have one; a label without any starts from
           normal noise of standard deviation 0.1 (in the paper's corpora all labels have names).
Shapes     B texts, T words (padded on the right), D vector size, K labels, r radius of the window.
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.classifier import classifier_flops, text_classifier
from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network, Task
from retable.layers.options import CountOrZero, NonNegative, Share

SPREAD = 0.1  # standard deviation of a label's first vector if its name has none


class LEAM(Network):
    """Label-embedding attentive model.

    Args:
        embedding: the word vectors V.
        classes: number of labels, K.
        label_rows: for each label, the rows of the embedding whose mean it starts from.
        radius: words on each side in the window around a word, r.
        mlp_hidden: ReLU units between the text vector and the classes; 0: none.
        dropout: dropout rate on the input of the last layer, in [0, 1).
        label_weight: weight of the labels' own cross-entropy.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        label_rows: Sequence[Sequence[int]],
        *,
        radius: CountOrZero = 27,
        mlp_hidden: CountOrZero = 300,
        dropout: Share = 0.5,
        label_weight: NonNegative = 1.0,
    ) -> None:
        super().__init__()
        self.embedding, self.label_weight = embedding, label_weight
        self.labels = nn.Parameter(first_labels(embedding, label_rows))  # C, (K, D)
        self.window = nn.Conv1d(1, 1, 2 * radius + 1, padding=radius, bias=False)  # W_1
        self.bias = nn.Parameter(torch.zeros(classes))  # b_1
        self.classifier = text_classifier(embedding.dim, mlp_hidden, classes, dropout)  # f_2

    @classmethod
    def needs(cls, task: Task) -> tuple[object, ...]:
        """Return the number of classes, and the rows of each label's words."""
        return task.classes, task.label_rows or ((),) * task.classes

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, K)."""
        v = self.embedding(words)  # (B, T, D)
        z = (self.weights(v, mask).unsqueeze(1) @ v).squeeze(1)  # (B, D)
        logits: Tensor = self.classifier(z)
        return logits

    def attention(self, words: Tensor, mask: Tensor) -> Tensor:
        """Return the weight of each word in its text, (B, 1, T); zero on padding."""
        return self.weights(self.embedding(words), mask).unsqueeze(1)

    def weights(self, v: Tensor, mask: Tensor) -> Tensor:
        """Return beta, (B, T), of word vectors (B, T, D)."""
        cosines = F.normalize(v, dim=2) @ F.normalize(self.labels, dim=1).T  # G, (B, T, K)
        of_labels = cosines.masked_fill(~mask.unsqueeze(2), 0).transpose(1, 2)
        of_windows = self.window(of_labels.flatten(0, 1).unsqueeze(1)).view_as(of_labels)  # G W_1, (B, K, T)
        likeness = F.relu(of_windows + self.bias.unsqueeze(1)).amax(dim=1)  # m, (B, T)
        return torch.softmax(likeness.masked_fill(~mask, -torch.inf), dim=1)

    def auxiliary_loss(self, classes: Tensor) -> Tensor:
        """Return the weighted mean cross-entropy of the label vectors, classified like texts."""
        own = torch.arange(len(self.labels), device=self.labels.device)
        return self.label_weight * F.cross_entropy(self.classifier(self.labels), own)

    def flops_per_word(self, words_per_text: float) -> float:
        """Return forward FLOPs, two per multiply-add: K D + K (2 r + 1) + D per word; the classifier per text."""
        of_word = self.labels.numel() + len(self.labels) * self.window.weight.numel() + self.embedding.dim
        return 2 * of_word + classifier_flops(self.classifier) / words_per_text


def first_labels(embedding: WordEmbedding, label_rows: Sequence[Sequence[int]]) -> Tensor:
    """Return one vector per label, (K, D): the mean of its rows; random numbers if it has none."""
    labels = torch.randn(len(label_rows), embedding.dim) * SPREAD
    for label, rows in enumerate(label_rows):
        if rows:
            labels[label] = embedding(torch.tensor([rows])).detach()[0].mean(dim=0)
    return labels
