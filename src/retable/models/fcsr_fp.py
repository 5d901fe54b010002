"""FCSR with feature projection: what a second copy of the network finds common to all classes is removed from r.

Source     FCSR, section 5.1: "FP-net ... in an anti-gradient direction", without reference or details;
           docs/readings.md, "FCSR". FP-Net is from Qin, Hu and Liu, "Feature Projection for Improved Text
           Classification", ACL 2020, where the first network is called P-net and the second C-net; what its abstract
           leaves open was taken from its authors' code (Qqinmaster/FP-Net on GitHub).
Method     r_p and r_c are the text vectors (FCSR eq. 9) of the two networks. The C-net's classifier reads r_c through a
           gradient reversal layer: the classifier learns the classes from r_c, the C-net learns to prevent that, so
           that r_c keeps what the classes have in common. The P-net's classifier reads r_p without its component along
           r_c. Qin's second projection, of r_p on the remainder of the first, changes nothing: that rest is orthogonal
           to r_c, so that r_p . rest = |rest|^2. The loss is the sum of both classifiers' cross-entropies.
Reading    lambda, the strength of the reversal, is 1: the exact opposite of the gradient. Qin's code raises it from
           0.05 to 1 in each epoch.
           The C-net learns only from its own loss (`separate`); in Qin's code the P-net's loss also reaches it,
           through the projection. Adam normalises gradients: with `separate`, lambda then scales only the C-net's
           effect on the word vectors.
Decision   both networks share the word vectors, their contexts and the dropout on them, but no weights. Dropout on r
           follows the projection. Where r_c is zero nothing is removed. The C-net's classifier reads only the direction
           of r_c, which is all that the projection uses: FCSR's features are unbounded, and a C-net free to grow raised
           its loss without end (1e18 after 400 steps on made-up texts, and the word vectors with it).
Shapes     B texts, T words (padded on the right), N real words in all texts, n vector size, C classes.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.gradient_reversal import reverse_gradient
from retable.layers.options import CountOrZero, NonNegative, Positive, Share
from retable.layers.wide import at_least_float32
from retable.models.fcsr import FCSR, WEIGHTS, Activation, Gate, Representation, WindowMeans


def without_component(x: Tensor, along: Tensor) -> Tensor:
    """Return x minus its projection on another vector, or x itself where that vector is zero.

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

    Args: as in FCSR, and
        reversal: lambda, how strongly the C-net is driven away from the classes, above 0.
        separate: whether the C-net learns only from its own loss, not also from the P-net's.
    Raises: ValueError if two options do not fit each other.
    """

    answers_for_domains = False  # the second classifier would also need the domains

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        alpha: Share = 0.2,
        window: CountOrZero = 0,
        window_means: WindowMeans = "field",
        gate: Gate = "relu",
        activation: Activation = "softmax",
        dropout: Share = 0.5,
        spread: NonNegative = 0.05,
        reversal: Positive = 1.0,
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
        self.reversal, self.separate = reversal, separate
        self.common = Representation(self.size, gate, activation)
        self.common_output = nn.Linear(self.size, classes)
        self.first_weights(spread)
        self.common_logits: Tensor | None = None  # of the last training batch, until its loss is computed

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to the P-net's logits (B, C); in training, keep those of the C-net."""
        contexts, real = self.contexts_of_words(words, mask)
        own, common = (each(contexts, real, mask.shape) for each in (self.representation, self.common))  # (B, n)
        if self.training:
            direction = F.normalize(common, dim=1) * self.size**0.5  # components about 1
            self.common_logits = self.common_output(self.dropout(reverse_gradient(direction, self.reversal)))
        purified = without_component(own, common.detach() if self.separate else common)
        logits: Tensor = self.output(self.dropout(purified))
        return logits

    def auxiliary_loss(self, classes: Tensor) -> Tensor:
        """Return the C-net's cross-entropy on the last training batch of `forward`, a scalar.

        Args:
            classes: int64, (B,).
        """
        assert self.common_logits is not None, "call forward first, in training mode"
        logits, self.common_logits = self.common_logits, None  # keep nothing after the step
        return F.cross_entropy(at_least_float32(logits), classes)

    def flops_per_word(self, words_per_text: float) -> float:
        """Count FLOPs (2 per multiply-add): two networks on shared contexts; 2 n^2, 3 n to project, n C per text."""
        n = self.size
        of_text = 2 * n**2 + 3 * n + n * self.classes
        return 2 * (2 * WEIGHTS * n**2 + self.context_products * n + of_text / words_per_text)
