"""Character-aware CNN: a word is the max-pooled output of filters over its characters; an LSTM reads the words.

Source     Kim, Jernite, Sontag, Rush, "Character-Aware Neural Language Models", AAAI 2016, the small network of table
           2; the authors' code (yoonkim/lstm-char-cnn: TDNN.lua, HighwayMLP.lua, LSTMTDNN.lua). Checked against a copy
           of the paper's text (arXiv 1508.06615).
Equations  f_i = tanh(<C[:, i : i + w - 1], H> + b) (eq. 5), C the characters' vectors of a word; y = max_i f_i for all
           filters (eq. 6); t = sigma(W_T y + b_T), z = t relu(W_H y + b_H) + (1 - t) y (eq. 8). An LSTM of two layers
           reads z_1 ... z_T; logits = U h_T + c, where the paper's softmax is over the next word.
Reading    a word is the text between white space in the clean text, with a special character before and after it, as in
           the code. b_T starts at -2. tanh is monotonic, so it is applied after the maximum.
Departure  the network classifies texts. A window begins at a character of the word or at one of its two ends and sees
           zeros after them; the code pads all words to the longest, so windows of padding alone may win there. The
           alphabet is char-cnn's; all other characters share one vector, the table's bias. Adam in batches of 50 in
           place of SGD at 1.0 in batches of 20; characters start normal and weights as in torch, in the paper all
           uniform in [-0.05, 0.05]. A text without white space, such as a Chinese one, is one word.
Method     the words of all texts are one batch; on a CPU words of similar length are grouped (layers/pieces.py).
Shapes     B texts, T characters (padded on the right), N words in all texts, L characters in the longest, A in the
           alphabet, D size of a character, F filters of all widths, H states, C classes.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.layers.options import Count, CountOrZero, Counts, Share
from retable.layers.pieces import in_rows, lengths_of_pieces, vectors_of_pieces
from retable.layers.pooled_convolution import PooledConv1d
from retable.layers.recurrent import last_of, recurrent_flops, states_of_words
from retable.models.char_cnn import CharCNN
from retable.text.vocabulary import UNKNOWN

WHITE = (UNKNOWN + 1, UNKNOWN + 2)  # rows of the space and of the end of a line
GATE_BIAS = -2.0  # initial bias of t: a highway layer first passes its input through
CHARACTERS_PER_WORD = 6  # including its space; used to count operations


class Highway(nn.Module):
    """Mix a layer's output with its input (Srivastava et al., "Highway Networks", 2015).

    Args:
        size: size of the input, F.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.transform = nn.Linear(size, size)  # W_H, b_H
        self.gate = nn.Linear(size, size)  # W_T, b_T
        nn.init.constant_(self.gate.bias, GATE_BIAS)

    def forward(self, y: Tensor) -> Tensor:
        """Map (N, F) to (N, F)."""
        t = torch.sigmoid(self.gate(y))
        return t * F.relu(self.transform(y)) + (1 - t) * y


class CharAwareCNN(Network):
    """Convolutions over the characters of words, highway layers, and an LSTM over the words.

    Args:
        embedding: one-hot rows of the alphabet, zero for padding and every other character.
        classes: number of classes.
        size: size of a character's vector, D.
        widths: characters that a filter spans.
        filters: filters of width 1; a width w has w times as many.
        highways: number of highway layers on a word's vector.
        hidden: states of a layer of the LSTM.
        layers: number of layers of the LSTM.
        dropout: share of the states between its layers, and of the last one, that are dropped in training, in [0, 1).
    """

    alphabet = " \n" + CharCNN.alphabet.removesuffix("\n")

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        size: Count = 15,
        widths: Counts = (1, 2, 3, 4, 5, 6),
        filters: Count = 25,
        highways: CountOrZero = 1,
        hidden: Count = 300,
        layers: Count = 2,
        dropout: Share = 0.5,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.characters = nn.Linear(embedding.dim, size)
        self.ends = nn.Parameter(torch.randn(2, size))  # the characters before and after a word
        nn.init.normal_(self.characters.weight)
        self.convolutions = nn.ModuleList(PooledConv1d(size, filters * width, width) for width in widths)
        features = filters * sum(widths)  # F
        self.highways = nn.ModuleList(Highway(features) for _ in range(highways))
        self.lstm = nn.LSTM(features, hidden, layers, batch_first=True, dropout=dropout if layers > 1 else 0.0)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, classes)  # U and c

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map characters (B, T) and their mask to logits (B, C)."""
        real = in_words(words, mask)
        begins = real.clone()  # True on the first character of a word
        begins[:, 1:] &= ~real[:, :-1]
        vectors = self.word_vectors(self.characters(self.embedding(words)[real]), lengths_of_pieces(begins, real))
        rows, there = in_rows(vectors, begins.sum(dim=1))  # (B, words, F)
        states = states_of_words(self.lstm, rows, there)
        last = last_of(states, there)  # h_T, (B, H)
        logits: Tensor = self.output(self.dropout(last))
        return logits

    def word_vectors(self, x: Tensor, lengths: Tensor) -> Tensor:
        """Map the character vectors of consecutive words, and their lengths (N,), to word vectors (N, F)."""
        return vectors_of_pieces(self.of_characters, x, lengths, self.lstm.input_size, apart=not x.is_cuda)

    def filters(self) -> list[PooledConv1d]:
        """Return the convolutions, one for each width."""
        return [each for each in self.convolutions if isinstance(each, PooledConv1d)]

    def of_characters(self, rows: Tensor, real: Tensor) -> Tensor:
        """Map characters (N, L, D), zero where not `real` (N, L), to word vectors (N, F)."""
        before = self.ends[0].to(rows.dtype).expand(len(rows), 1, -1)
        symbols = torch.cat((before, rows, torch.zeros_like(before)), dim=1)
        symbols[torch.arange(len(rows), device=rows.device), real.sum(dim=1) + 1] = self.ends[1].to(rows.dtype)
        begins = F.pad(real, (2, 0), value=True)  # a window may begin here, (N, L + 2)
        best = [
            convolution(symbols, F.pad(begins, (convolution.kernel_size[0] - 1, 0), value=False))
            for convolution in self.filters()
        ]
        y = torch.tanh(torch.cat(best, dim=1))
        for highway in self.highways:
            y = highway(y)
        return y

    def flops_per_word(self, words_per_text: float) -> float:
        """Count FLOPs (2 per multiply-add): A D per character; filters (7 symbols), highways, LSTM per word; H C."""
        filters = sum(convolution.weight.numel() for convolution in self.filters())
        highways = sum(weight.numel() for weight in self.highways.parameters() if weight.dim() == 2)
        of_word = (CHARACTERS_PER_WORD + 1) * filters + highways + recurrent_flops(self.lstm) / 2
        of_character = self.characters.weight.numel() + of_word / CHARACTERS_PER_WORD
        return 2 * (of_character + self.output.weight.numel() / words_per_text)


def in_words(words: Tensor, mask: Tensor) -> Tensor:
    """Return which characters belong to words, bool (B, T): all but white space; in a blank text, the first one."""
    real = mask & ~((words >= WHITE[0]) & (words <= WHITE[1]))
    first = torch.arange(words.shape[1], device=words.device) == 0
    return real | (first & ~real.any(dim=1, keepdim=True))
