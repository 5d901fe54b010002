"""VAMPIRE: a frozen, mixed autoencoder of bags of words, concatenated with the mean of the word vectors.

Source     Gururangan, Dang, Card, Smith, "Variational Pretraining for Semi-supervised Text Classification", ACL 2019;
           the authors' code (allenai/vampire). From the code and a page with its equations, not checked against the
           published paper, so they have no numbers here.
Equations  document model: z ~ N(0, I), theta = softmax(z), eta = softmax(b + B theta), log p(x | z) = sum of c_j log
           eta_j, c_j the count of word j in the text; q(z | x) = N(mu(h_L), sigma(h_L)^2), h_l the layers of an MLP of
           c. Lower bound: E_q log p(x | z) - w KL(q(z | x), N(0, I)), w annealed. Features of a text: r = gamma (sum of
           s_l h_l + s_0 theta), s = softmax of learned numbers. logits = W [r; mean of v_t] + c.
Reading    as in the code: sigma is at most 10; dropout on z; batch norm of the word scores with a learned shift and no
           scale; frozen layers, from which r takes theta of mu. Batch norm would cancel b, so b is added after it: the
           same function, its shift starting at b. The code names ReLU but omits it by mistake: option `activation`.
Departure  only the training texts are available. The classifier reads given word vectors in batches of 64 texts, the
           code's random ones of 50 numbers in batches of 32. The number of epochs is fixed, where the authors stop by
           topic coherence. The bag keeps stop words and short words, as a network does not see the words themselves.
Decision   w grows with the epoch e, counted from 1: e / annealing_epochs, or 1 / (1 + exp(-0.25 (e - 15))). A text with
           fewer than 3 words of the bag, and a batch with fewer than two texts, are skipped. The mixture starts with
           equal shares; the code's start, e^-20 for all but h_1 and theta, leaves the rest out for good.
Shapes     B texts, T words (padded on the right), D vector size, V words of the bag, K topics, C classes.
"""

from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.bag_encoder import FIRST, Activation, BagEncoder, draw, in_bag, log_likelihood
from retable.layers.bags import PADDING
from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import mean_over_words
from retable.layers.network import Network, Pass
from retable.layers.options import Count, CountOrZero, NonNegative, Share
from retable.layers.pretraining import learn

Annealing = Literal["linear", "sigmoid", "constant"]
WIDEST = 10.0  # largest sigma
LEAST_WORDS = 3  # of the bag, in a text that pretraining uses
STEEPNESS, MIDDLE = 0.25, 15.0  # of the sigmoid annealing, in epochs
NORM_EPS = 0.001


class DocumentModel(nn.Module):
    """The encoder and the parts that only pretraining needs: sigma, and the word scores of topics.

    Args:
        encoder: encoder of bags.
        background: b, log-frequencies (V,).
        dropout: dropout rate on z.
    """

    background: Tensor

    def __init__(self, encoder: BagEncoder, background: Tensor, dropout: float) -> None:
        super().__init__()
        topics = encoder.mean.out_features
        self.encoder = encoder
        self.log_variance = nn.Linear(topics, topics)
        self.dropout = nn.Dropout(dropout)
        self.topics = nn.Linear(topics, len(background), bias=False)  # B
        self.shift = nn.Parameter(torch.zeros(len(background)))  # of the batch norm
        self.register_buffer("background", background)

    def forward(self, bag: Tensor) -> tuple[Tensor, Tensor]:
        """Return log p(x | z) for a drawn z, and KL(q(z | x), N(0, I)), each (B,)."""
        top = self.encoder(bag)[-1]
        mean = self.encoder.mean(top)
        sigma = (0.5 * self.log_variance(top)).exp().clamp(max=WIDEST)
        z, divergence = draw(mean, sigma)
        return self.likelihood(self.dropout(z), bag), divergence

    def likelihood(self, z: Tensor, bag: Tensor) -> Tensor:
        """Return log p(x | z), (B,), the sum of c_j log eta_j over the words of the bag."""
        scores = self.topics(torch.softmax(z, dim=1))  # B theta, (B, V)
        scores = F.batch_norm(scores, None, None, training=True, eps=NORM_EPS) + self.shift
        return log_likelihood(scores + self.background, bag)


class Vampire(Network):
    """Frozen layers of a document model and a mean of word vectors under a linear classifier.

    Args:
        embedding: the word vectors.
        classes: number of classes.
        topics: number of topics, and width of each layer of the document model.
        layers: layers of its encoder.
        activation: after each of them: relu, none.
        vocabulary: largest number of words of the bag, the most frequent ones.
        pretrain_epochs: pretraining epochs.
        pretrain_rate: Adam's learning rate in pretraining.
        annealing: how the divergence's weight grows: linear, sigmoid, constant (1).
        annealing_epochs: epochs after which the linear weight is 1.
        dropout_z: dropout rate on z in pretraining, in [0, 1).
        dropout_features: dropout rate on r, in [0, 1).
        dropout: the same on the classifier's input, r and the mean of the word vectors.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        topics: Count = 81,
        layers: Count = 2,
        activation: Activation = "relu",
        vocabulary: Count = 30000,
        pretrain_epochs: CountOrZero = 15,
        pretrain_rate: NonNegative = 0.001,
        annealing: Annealing = "linear",
        annealing_epochs: Count = 1000,
        dropout_z: Share = 0.49,
        dropout_features: Share = 0.5,
        dropout: Share = 0.3,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.epochs, self.rate = pretrain_epochs, pretrain_rate
        self.annealing, self.annealing_epochs, self.dropout_z = annealing, annealing_epochs, dropout_z
        rows = len(embedding.table)
        self.words = max(1, min(vocabulary, rows - FIRST))  # V
        self.sizes = self.words, topics, topics, layers, activation
        self.encoder = freeze(BagEncoder(*self.sizes))
        self.mix = nn.Parameter(torch.zeros(layers + 1))  # s before its softmax: h_1 ... h_L, theta
        self.gamma = nn.Parameter(torch.ones(1))
        self.dropout_features, self.dropout = nn.Dropout(dropout_features), nn.Dropout(dropout)
        self.output = nn.Linear(topics + embedding.dim, classes)  # W and c

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        mean = mean_over_words(self.embedding(words), mask)  # (B, D)
        features = self.dropout_features(self.features(in_bag(words, mask, self.words)))  # (B, K)
        logits: Tensor = self.output(self.dropout(torch.cat((features, mean), dim=1)))
        return logits

    def features(self, bag: Tensor) -> Tensor:
        """Return r, (B, K)."""
        layers = self.encoder(bag)
        theta = torch.softmax(self.encoder.mean(layers[-1]), dim=1)
        shares = torch.softmax(self.mix, dim=0)  # s
        return self.gamma * torch.einsum("l,lbk->bk", shares, torch.stack([*layers, theta]))

    def pretrain(self, texts: Pass) -> None:
        """Train the document model on all texts, and keep its encoder."""
        if not self.epochs:
            return
        model = self.document_model(self.background(texts))
        weights = [*model.parameters()]
        learn(weights, texts, lambda batch, e: self.writing_loss(model, self.weight(e), *batch), self.epochs, self.rate)
        self.encoder.load_state_dict(model.encoder.state_dict())

    def writing_loss(self, model: DocumentModel, weight: float, words: Tensor, mask: Tensor) -> Tensor | None:
        """Return the negative lower bound, averaged over the texts that pretraining uses; None with fewer than two."""
        bag = in_bag(words, mask, self.words)
        bag = bag[(bag != PADDING).sum(dim=1) >= LEAST_WORDS]
        if len(bag) < 2:  # batch norm needs two for a variance
            return None
        likelihood, divergence = model(bag)
        loss: Tensor = (weight * divergence - likelihood).mean()
        return loss

    def document_model(self, background: Tensor) -> DocumentModel:
        """Return a model whose encoder starts with the network's weights, in training mode."""
        encoder = BagEncoder(*self.sizes).to(self.mix)
        encoder.load_state_dict(self.encoder.state_dict())
        return DocumentModel(encoder, background, self.dropout_z).to(self.mix)

    def background(self, texts: Pass) -> Tensor:
        """Return b, the log-frequencies of the bag's words in all texts, (V,)."""
        counts = torch.zeros(FIRST + self.words, dtype=torch.int64, device=self.mix.device)
        for words, mask in texts():
            counts += torch.bincount(in_bag(words, mask, self.words).flatten(), minlength=len(counts))
        shares = counts[FIRST:].to(self.mix.dtype) / counts[FIRST:].sum().clamp(min=1)
        return shares.clamp(min=1e-12).log()

    def weight(self, epoch: int) -> float:
        """Return w in an epoch, counted from 1."""
        if self.annealing == "linear":
            return min(1.0, epoch / self.annealing_epochs)
        if self.annealing == "sigmoid":
            return torch.sigmoid(torch.tensor(STEEPNESS * (epoch - MIDDLE))).item()
        return 1.0

    def flops_per_word(self, words_per_text: float) -> float:
        """Return FLOPs, two per multiply-add: D + K per word; K^2 per deeper layer and mu, K (L + 1), W per text."""
        topics = self.encoder.mean.out_features
        of_text = (len(self.encoder.deeper) + 1) * topics**2 + len(self.mix) * topics + self.output.weight.numel()
        return 2 * (self.embedding.dim + topics + of_text / words_per_text)


def freeze(encoder: BagEncoder) -> BagEncoder:
    """Turn all parameters into buffers, which are saved with the weights but not trained by the classifier."""
    for module in [*encoder.modules()]:
        for name, weight in [*module.named_parameters(recurse=False)]:
            delattr(module, name)
            module.register_buffer(name, weight.detach())
    return encoder
