"""FCSR with feature projection: what a second copy of the network finds in all classes alike is taken out of r.

Source     FCSR, section 5.1: "FP-net ... in an anti-gradient direction", without a reference or a detail;
           docs/readings.md, "FCSR". FP-Net is from Qin, Hu and Liu, "Feature Projection for Improved Text
           Classification", ACL 2020, where the first network is called P-net and the second C-net; what its abstract
           leaves open was taken from its authors' code (Qqinmaster/FP-Net on GitHub).
Method     r_p and r_c are the text's vector (FCSR eq. 9) of either network. The C-net's classifier reads r_c behind a
           gradient reversal layer: the classifier learns the classes from r_c, the C-net to make that impossible, so
           that r_c keeps what the classes have in common. The P-net's classifier reads r_p without its component along
           r_c. Qin's second projection, of r_p on what the first one leaves, changes nothing: that rest is orthogonal
           to r_c, so that r_p . rest = |rest|^2. The loss is the sum of both classifiers' cross-entropies.
Reading    lambda, the strength of the reversal, is 1: the gradient's own direction, turned round. Qin's code raises it
           from 0.05 to 1 in each epoch.
           The C-net learns from its own loss alone (`separate`); in Qin's code the P-net's loss reaches it as well,
           through the projection. Adam takes the size of a gradient out again: with `separate`, lambda then weighs
           only what the C-net does to the word vectors.
Decision   both networks share the word vectors, their contexts and the dropout on them, and no weight. Dropout on r
           stands behind the projection. Where r_c is zero there is nothing to take out. The C-net's classifier reads
           the direction of r_c, all that the projection knows of it: FCSR's features have no bound, and a C-net free to
           grow raised its loss without end (1e18 after 400 steps on made-up texts, and the word vectors with it).
Shapes     B texts, T words (padded on the right), N real words in all texts, n vector size, C classes.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.gradient_reversal import reverse_gradient
from retable.models.fcsr import FCSR, WEIGHTS, Activation, Gate, Representation, WindowMeans


def at_least_float32(x: Tensor) -> Tensor:
    """x, widened where autocast has made it narrower."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def without_component(x: Tensor, along: Tensor) -> Tensor:
    """x minus its projection on another vector: orthogonal to it; x itself where that vector is zero.

    Args:
        x, along: vectors, float, (B, n).
    Returns: (B, n), float32 or wider.
    Source: Qin et al. (2020), the orthogonal projection layer.
    """
    x, along = at_least_float32(x), at_least_float32(along)
    square = along.square().sum(dim=1, keepdim=True)
    share = (x * along).sum(dim=1, keepdim=True) / square.masked_fill(square == 0, torch.inf)
    return x - share * along


class FCSRFP(FCSR):
    """Full-Context Semantic Representation with feature projection.

    Args: those of FCSR, and
        reversal: lambda, how strongly the C-net is driven away from the classes, above 0.
        separate: the C-net learns from its own loss alone; if not, from the P-net's too.
    Raises: ValueError if an option is outside its range.
    """

    answers_for_domains = False  # the second classifier would have to know the domains too

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        alpha: float = 0.2,
        window: int = 0,
        window_means: WindowMeans = "field",
        gate: Gate = "relu",
        activation: Activation = "softmax",
        dropout: float = 0.5,
        spread: float = 0.05,
        reversal: float = 1.0,
        separate: bool = True,
    ) -> None:
        super().__init__(
            embedding,
            classes,
            alpha=alpha,
            window=window,
            window_means=window_means,
            gate=gate,
            activation=activation,
            dropout=dropout,
            spread=spread,
        )
        if not reversal > 0:
            raise ValueError(f"reversal is {reversal}; allowed: above 0")
        self.reversal, self.separate = reversal, separate
        self.common = Representation(self.size, gate, activation)
        self.common_output = nn.Linear(self.size, classes)
        self.first_weights(spread)
        self.common_logits: Tensor | None = None  # of the last batch, in training, until its loss is asked for

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C) of the P-net; in training those of the C-net are kept."""
        contexts, real = self.contexts_of_words(words, mask)
        own, common = (each(contexts, real, mask.shape) for each in (self.representation, self.common))  # (B, n)
        if self.training:
            direction = F.normalize(common, dim=1) * self.size**0.5  # components about 1
            self.common_logits = self.common_output(self.dropout(reverse_gradient(direction, self.reversal)))
        purified = without_component(own, common.detach() if self.separate else common)
        logits: Tensor = self.output(self.dropout(purified))
        return logits

    def auxiliary_loss(self, classes: Tensor) -> Tensor:
        """Return the C-net's cross-entropy on the batch that `forward` has just seen in training mode, a scalar.

        Args:
            classes: int64, (B,).
        """
        assert self.common_logits is not None, "forward comes first, in training mode"
        logits, self.common_logits = self.common_logits, None  # nothing outlives its step
        return F.cross_entropy(at_least_float32(logits), classes)

    def flops_per_word(self, words_per_text: float) -> float:
        """Forward multiply-adds, times two: two networks on the contexts of one; 2 n^2, 3 n to project, n C a text."""
        n = self.size
        of_text = 2 * n**2 + 3 * n + n * self.classes
        return 2 * (2 * WEIGHTS * n**2 + self.context_products * n + of_text / words_per_text)
