"""Build the models of the most used public toolkit for Chinese texts as it defines them: the peer of the headlines.

Source     github.com/649453932/Chinese-Text-Classification-Pytorch (MIT), models/*.py and train_eval.py, rewritten:
           Conv2d over (k, 300), nn.LSTM with batch_first over texts padded or cut to 32 characters, attention without a
           mask, three embedding tables for fastText, all trained by Adam with defaults. Its evaluation on
           dev every 100 batches is left out.
Shapes     B texts, T = 32 characters, D = 300, C classes; each model maps characters (B, T) to logits (B, C).
"""

from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

CHARACTERS, DIM, BATCH = 32, 300, 128
BUCKETS = 250_499


class TextCNN(nn.Module):
    """256 filters of the widths 2, 3 and 4."""

    def __init__(self, vocabulary: int, classes: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, DIM)
        self.convs = nn.ModuleList(nn.Conv2d(1, 256, (width, DIM)) for width in (2, 3, 4))
        self.dropout = nn.Dropout(0.5)
        self.fc = nn.Linear(3 * 256, classes)

    def forward(self, x: Tensor) -> Tensor:
        x = self.embedding(x).unsqueeze(1)
        maps = [F.relu(conv(x)).squeeze(3) for conv in self.convs]
        pooled = torch.cat([F.max_pool1d(each, each.size(2)).squeeze(2) for each in maps], 1)
        logits: Tensor = self.fc(self.dropout(pooled))
        return logits


class TextRNN(nn.Module):
    """Two layers of 128 states per direction; then the states at the last place, or attention over all and 64 units."""

    def __init__(self, vocabulary: int, classes: int, *, attention: bool = False) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, DIM)
        self.lstm = nn.LSTM(DIM, 128, 2, bidirectional=True, batch_first=True, dropout=0.5)
        self.w = nn.Parameter(torch.zeros(256)) if attention else None
        layers = [nn.ReLU(), nn.Linear(256, 64), nn.Linear(64, classes)]
        self.fc = nn.Sequential(*layers) if attention else nn.Linear(256, classes)

    def forward(self, x: Tensor) -> Tensor:
        states = self.lstm(self.embedding(x))[0]
        text = states[:, -1]
        if self.w is not None:
            alpha = F.softmax(torch.matmul(torch.tanh(states), self.w), dim=1)
            text = torch.sum(states * alpha.unsqueeze(-1), 1)
        logits: Tensor = self.fc(text)
        return logits


class DPCNN(nn.Module):
    """250 maps; all blocks share one pair of convolutions."""

    def __init__(self, vocabulary: int, classes: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, DIM)
        self.conv_region = nn.Conv2d(1, 250, (3, DIM))
        self.conv = nn.Conv2d(250, 250, (3, 1))
        self.fc = nn.Linear(250, classes)

    def pair(self, x: Tensor) -> Tensor:
        """Convolve twice."""
        for _ in range(2):
            x = self.conv(F.relu(F.pad(x, (0, 0, 1, 1))))
        return x

    def forward(self, x: Tensor) -> Tensor:
        x = self.pair(self.conv_region(self.embedding(x).unsqueeze(1)))
        while x.size(2) > 2:
            pooled = F.max_pool2d(F.pad(x, (0, 0, 0, 1)), kernel_size=(3, 1), stride=2)
            x = pooled + self.pair(pooled)
        logits: Tensor = self.fc(x.flatten(1))
        return logits


class FastText(nn.Module):
    """Embed characters, bigrams and trigrams, concatenated and averaged; a layer of 256. Its gradients are dense."""

    def __init__(self, vocabulary: int, classes: int, buckets: int = BUCKETS) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, DIM)
        self.bigrams, self.trigrams = nn.Embedding(buckets, DIM), nn.Embedding(buckets, DIM)
        self.dropout = nn.Dropout(0.5)
        self.fc1, self.fc2 = nn.Linear(3 * DIM, 256), nn.Linear(256, classes)
        self.buckets = buckets

    def forward(self, x: Tensor) -> Tensor:
        """Hash the n-grams here, where the toolkit does it before training."""
        before, two = (F.pad(x, (shift, 0))[:, :-shift] for shift in (1, 2))
        rows = self.embedding(x), self.bigrams(before * 14918087 % self.buckets)
        third = self.trigrams((two * 14918087 * 18408749 + before * 14918087) % self.buckets)
        logits: Tensor = self.fc2(F.relu(self.fc1(self.dropout(torch.cat((*rows, third), -1).mean(dim=1)))))
        return logits


MODELS: dict[str, Callable[[int, int], nn.Module]] = {
    "textcnn": TextCNN,
    "bilstm": TextRNN,
    "att-blstm": partial(TextRNN, attention=True),
    "dpcnn": DPCNN,
    "fasttext": FastText,
}
