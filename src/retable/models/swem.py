"""SWEM: word vectors pooled without a parameter, their mean, maximum or both, or the maximum over means of windows.

Source     Shen et al., "Baseline Needs More Love: On Simple Word-Embedding-Based Models and Associated Pooling
           Mechanisms", ACL 2018, section 3.3: SWEM-aver (eq. 1), SWEM-max (eq. 2), SWEM-concat, SWEM-hier; section 4
           for the layer that refines word vectors, the classifier and the places of dropout.
Reading    maxima are over words only (eq. 2); in the authors' code the zeros of padding compete. SWEM-hier has a window
           v_i ... v_(i+n-1) from every word on, wholly inside the text; a text of fewer than n words is one window.
           Dropout is on the word vectors and on the classifier's units or, if it is linear (5.2), on the text vector;
           the authors' code always drops the text vector.
Decision   no window is printed for most corpora: n = 5, from section 5.3. The preset, concat, is table 2's best without
           windows. Of the settings that section 4 searches, those of the authors' code for Yahoo are used (300 units,
           dropout 0.2; the 61K parameters of table 4 fit 100 units).
Shapes     B texts, T words (padded on the right), D vector size, n window, F size of the text vector, C classes.
"""

from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.classifier import classifier_flops, text_classifier
from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import max_over_words, mean_over_words
from retable.layers.network import Network
from retable.layers.options import Count, CountOrZero, Share
from retable.layers.products import Linear

Pool = Literal["mean", "max", "concat", "hierarchical"]


def means_of_windows(x: Tensor, mask: Tensor, window: int) -> tuple[Tensor, Tensor]:
    """Return the mean of the words of every window.

    Args:
        x: word vectors, float, (B, T, D).
        mask: True on a word, False on padding (on the right), bool, (B, T).
        window: words per window, n; all words of a shorter text.
    Returns: (B, T, D), for the window that begins at each word, and bool (B, T), True on windows inside the text.
    """
    lengths = mask.sum(dim=1, keepdim=True)  # (B, 1)
    padded = F.pad((x * mask.unsqueeze(2)).transpose(1, 2), (0, window - 1))  # (B, D, T + n - 1)
    means = F.avg_pool1d(padded, window, stride=1).transpose(1, 2)
    means = means * (window / lengths.clamp(max=window)).unsqueeze(2).to(x.dtype)  # corrects shorter texts
    begins = torch.arange(mask.shape[1], device=mask.device)
    return means, begins <= (lengths - window).clamp(min=0)


class SWEM(Network):
    """Simple word-embedding model.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        pool: mean (SWEM-aver), max, concat (both), hierarchical (the maximum over the means of windows).
        window: words of a window; only for hierarchical.
        refined: whether a ReLU layer of D units refines the word vectors, best if these are not tuned.
        mlp_hidden: ReLU units of the classifier; 0: it is linear.
        dropout_words: dropout rate on the word vectors, in [0, 1).
        dropout: the same on the classifier's units or, without them, on the text vector.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        pool: Pool = "concat",
        window: Count = 5,
        refined: bool = False,
        mlp_hidden: CountOrZero = 300,
        dropout_words: Share = 0.2,
        dropout: Share = 0.2,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.pool, self.window = pool, window
        self.refinement = Linear(embedding.dim, embedding.dim) if refined else None
        self.dropout_words = nn.Dropout(dropout_words)
        size = embedding.dim * (2 if pool == "concat" else 1)  # F
        self.classifier = text_classifier(size, mlp_hidden, classes, dropout)

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        x = self.dropout_words(self.embedding(words))  # v, (B, T, D)
        if self.refinement is not None:
            x = F.relu(self.refinement(x))
        logits: Tensor = self.classifier(self.pooled(x, mask))
        return logits

    def pooled(self, x: Tensor, mask: Tensor) -> Tensor:
        """Map word vectors (B, T, D) and their mask to the text vector z, (B, F)."""
        if self.pool == "mean":
            return mean_over_words(x, mask)  # eq. 1
        if self.pool == "max":
            return max_over_words(x, mask)  # eq. 2
        if self.pool == "concat":
            return torch.cat((mean_over_words(x, mask), max_over_words(x, mask)), dim=1)
        return max_over_words(*means_of_windows(x, mask, self.window))

    def flops_per_word(self, words_per_text: float) -> float:
        """Return forward FLOPs, two per multiply-add: D per word for a mean, n D for windows, 0 for a
        maximum, D^2 to refine; the classifier per text.
        """
        in_means = {"mean": 1, "max": 0, "concat": 1, "hierarchical": self.window}[self.pool]
        of_word = in_means * self.embedding.dim + (self.embedding.dim**2 if self.refinement else 0)
        return 2 * of_word + classifier_flops(self.classifier) / words_per_text
