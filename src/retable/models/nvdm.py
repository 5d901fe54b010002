"""NVDM: an autoencoder of bags of words with a Gaussian latent vector, whose mean a linear classifier reads.

Source     Miao, Yu, Blunsom, "Neural Variational Inference for Text Processing", ICML 2016, section 3; the authors'
           code (ysmiao/nvdm, nvdm.py). From the code, not checked against the published paper, so the equations here
           have no numbers. Two ports have two ReLU layers for pi; one says that this is the paper's. The paper models
           documents and classifies no texts.
Equations  pi = tanh(W x + b), x the count of each word in the text; q(z | x) = N(mu, sigma^2), mu and log sigma linear
           in pi; p(w_j | z) = softmax(R z + b_w)_j. Lower bound: E_q sum of c_j log p(w_j | z) - KL(q(z | x), N(0, I)),
           from one draw. logits = U mu + c.
Reading    a row of W is a word's row of the embedding, without given vectors: 500 hidden units, 50 in z, as in the code
           (one hidden layer, tanh; log sigma starts at 0). VAMPIRE has softmax(z), a background and batch norm; what
           both share is in retable.layers.bag_encoder.
Departure  the classifier is ours: the encoder starts from the autoencoder and is trained further with U. Only the
           training texts are available, for a fixed number of epochs. The code updates decoder and encoder in turn, ten
           epochs each, at 5e-5 for a thousand rounds; here both at once, at a rate that suits the number of epochs.
Decision   the bag has all training words with a row of their own, the code its 2,000. A text without a word of the bag
           is skipped in pretraining.
Shapes     B texts, T words (padded on the right), H hidden units, V words of the bag, K numbers in z, C classes.
"""

import torch
from torch import Tensor, nn

from retable.layers.bag_encoder import FIRST, draw, in_bag, log_likelihood
from retable.layers.bags import PADDING
from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network, Pass
from retable.layers.options import Count, CountOrZero, NonNegative, Share
from retable.layers.pretraining import learn


class Decoder(nn.Module):
    """The parts that only pretraining needs: log sigma, and the word scores of z.

    Args:
        hidden: units of the encoder, H.
        topics: size of z, K.
        words: words of the bag, V.
    """

    def __init__(self, hidden: int, topics: int, words: int) -> None:
        super().__init__()
        self.log_sigma = nn.Linear(hidden, topics)
        nn.init.zeros_(self.log_sigma.weight)
        nn.init.zeros_(self.log_sigma.bias)
        self.words = nn.Linear(topics, words)  # R and b_w

    def forward(self, pi: Tensor, mean: Tensor, bag: Tensor) -> tuple[Tensor, Tensor]:
        """Return log p(x | z) for a drawn z, and KL(q(z | x), N(0, I)), each (B,)."""
        z, divergence = draw(mean, self.log_sigma(pi).exp())
        return log_likelihood(self.words(z), bag), divergence


class NVDM(Network):
    """A bag of words, a hidden layer, the mean of z, and a linear classifier.

    Args:
        embedding: the first layer's weights, one row per word.
        classes: number of classes.
        topics: size of z.
        pretrain_epochs: pretraining epochs; 0: no pretraining.
        pretrain_rate: Adam's learning rate in pretraining.
        dropout: dropout rate on mu, in [0, 1).
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        topics: Count = 50,
        pretrain_epochs: CountOrZero = 30,
        pretrain_rate: NonNegative = 0.001,
        dropout: Share = 0.0,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.epochs, self.rate = pretrain_epochs, pretrain_rate
        rows = len(embedding.table)
        self.words = max(1, rows - FIRST)  # V
        self.bias = nn.Parameter(torch.zeros(embedding.dim))
        self.mean = nn.Linear(embedding.dim, topics)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(topics, classes)  # U and c

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        logits: Tensor = self.output(self.dropout(self.mean(self.hidden(in_bag(words, mask, self.words)))))
        return logits

    def hidden(self, bag: Tensor) -> Tensor:
        """Return pi, (B, H)."""
        return torch.tanh(self.embedding.total(bag) + self.bias)

    def pretrain(self, texts: Pass) -> None:
        """Learn to reconstruct all texts from z; changes the encoder and the tuned rows."""
        if not self.epochs:
            return
        decoder = Decoder(self.bias.numel(), self.mean.out_features, self.words).to(self.bias)
        weights = [*decoder.parameters(), *self.embedding.parameters(), self.bias, *self.mean.parameters()]
        learn(weights, texts, lambda batch, _: self.writing_loss(decoder, *batch), self.epochs, self.rate)

    def writing_loss(self, decoder: Decoder, words: Tensor, mask: Tensor) -> Tensor | None:
        """Return the negative lower bound, averaged over the texts with a word of the bag; None without such texts."""
        bag = in_bag(words, mask, self.words)
        bag = bag[(bag != PADDING).any(dim=1)]
        if not len(bag):
            return None
        pi = self.hidden(bag)
        likelihood, divergence = decoder(pi, self.mean(pi), bag)
        loss: Tensor = (divergence - likelihood).mean()
        return loss

    def flops_per_word(self, words_per_text: float) -> float:
        """Return forward FLOPs, two per multiply-add: H per word; K H and C K per text."""
        of_text = self.mean.weight.numel() + self.output.weight.numel()
        return 2 * (self.embedding.dim + of_text / words_per_text)
