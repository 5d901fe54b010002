"""Word-based ConvNet: the character-level CNN's six convolutions and three fully-connected layers, on word vectors.

Source     Zhang, Zhao, LeCun, "Character-level Convolutional Networks for Text Classification", NIPS 2015, section 3.2:
           word vectors of size 300, given ("w2v") or learned from random ones ("Lk"), and a network "of the same size
           as our character-level ConvNets, in terms of both the number of layers and each layer's output size". The
           layers are those of section 2, tables 1 and 2 (models/char_cnn.py), by default of the small network.
Reading    "each layer's output size" holds for the places too: as many words are read as the other network reads
           characters, the last 1014, in reverse order as there; earlier words are left out. Given vectors are tuned.
Departure  without the paper's thesaurus ("Th").
"""

from retable.models.char_cnn import CharCNN


class WordCNN(CharCNN):
    """Convolutional network over word vectors, of the character-level network's size.

    Args: those of `CharCNN`, with the word vectors as `embedding` and words instead of characters.
    """

    alphabet = ""
