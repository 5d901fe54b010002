"""Word-based ConvNet: the character-level CNN's six convolutions and three fully-connected layers, on word vectors.

Source     Zhang, Zhao, LeCun, "Character-level Convolutional Networks for Text Classification", NIPS 2015, section 3.2:
           word vectors of size 300, given ("w2v") or learned from random ones ("Lk"), and a network "of the same size
           as our character-level ConvNets, in terms of both the number of layers and each layer's output size". The
           layers are those of section 2, tables 1 and 2 (models/char_cnn.py), by default of the small network.
Reading    "each layer's output size" holds for the places too: as many words are read as the other network reads
           characters, the last 1014, in reverse order as there; earlier words are left out. Given vectors are tuned.
Departure  without the paper's thesaurus ("Th").
Fast form  places that see only frames after a text all give one answer, whatever the text: of the columns that the last
           pooling leaves, the first such column is computed once and repeated for the rest. The numbers are the same.
Shapes     B texts, T words (padded on the right), F frames, D vector size, K filters, L columns, C classes.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from retable.models.char_cnn import LEAST_FRAMES, POOL, POOLED, CharCNN, backward_frames, lengths_of

STEP = POOL ** sum(POOLED)  # frames from the start of one column to the next; a column sees LEAST_FRAMES frames


class WordCNN(CharCNN):
    """Convolutional network over word vectors, of the character-level network's size.

    Args and Raises: those of `CharCNN`, with the word vectors as `embedding` and words instead of characters.
    """

    alphabet = ""

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        x = self.embedding(backward_frames(words, mask, self.frames_worked_out(words.shape[1]))).transpose(1, 2)
        for convolution, pooled in zip(self.convolutions, POOLED, strict=True):
            x = F.relu(convolution(x))  # eq. for h_j(y), section 2.1; valid places only
            x = F.max_pool1d(x, POOL) if pooled else x
        behind = x[:, :, -1:].expand(-1, -1, self.lengths[-1] // POOL - x.shape[2])  # the columns not computed
        x = torch.cat([x, behind], dim=2).flatten(1)  # (B, K L)
        for layer in self.hidden:
            x = self.dropout(F.relu(layer(x)))
        logits: Tensor = self.output(x)
        return logits

    def frames_worked_out(self, words: float) -> int:
        """Return how many frames to compute: those of every column that sees a word, and of one more."""
        return min(self.frames, math.ceil(words / STEP) * STEP + LEAST_FRAMES)

    def flops_per_word(self, words_per_text: float) -> float:
        """Return forward FLOPs, two per multiply-add: each convolution at its places and the three layers, per text."""
        weights = [layer.weight for layer in (*self.convolutions, *self.hidden, self.output)]
        places = [*lengths_of(self.frames_worked_out(words_per_text)), 1, 1, 1]
        of_text: int = sum(weight.numel() * count for weight, count in zip(weights, places, strict=True))
        return 2 * of_text / words_per_text
