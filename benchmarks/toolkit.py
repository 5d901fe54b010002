"""The models of the most used public toolkit for Chinese texts, as it writes them: the peer of the headlines' rows.

Source     github.com/649453932/Chinese-Text-Classification-Pytorch (MIT), models/*.py and train_eval.py, written anew:
           Conv2d over (k, 300), nn.LSTM with batch_first over texts padded or cut to 32 characters, an attention
           without mask, three tables of rows for fastText, all trained by Adam as it is by default. Its evaluation on
           dev every 100 batches is left out.
Shapes     B texts, T = 32 characters, D = 300, C classes.
"""

from collections.abc import Callable

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
        """(B, T) to logits (B, C)."""
        x = self.embedding(x).unsqueeze(1)
        maps = [F.relu(conv(x)).squeeze(3) for conv in self.convs]
        pooled = torch.cat([F.max_pool1d(each, each.size(2)).squeeze(2) for each in maps], 1)
        logits: Tensor = self.fc(self.dropout(pooled))
        return logits


class TextRNN(nn.Module):
    """Two layers of 128 states a side; the states at the last character, padding or not."""

    def __init__(self, vocabulary: int, classes: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, DIM)
        self.lstm = nn.LSTM(DIM, 128, 2, bidirectional=True, batch_first=True, dropout=0.5)
        self.fc = nn.Linear(256, classes)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) to logits (B, C)."""
        logits: Tensor = self.fc(self.lstm(self.embedding(x))[0][:, -1, :])
        return logits


class TextRNNAtt(nn.Module):
    """The same two layers under attention, and a layer of 64."""

    def __init__(self, vocabulary: int, classes: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, DIM)
        self.lstm = nn.LSTM(DIM, 128, 2, bidirectional=True, batch_first=True, dropout=0.5)
        self.w = nn.Parameter(torch.zeros(256))
        self.fc1 = nn.Linear(256, 64)
        self.fc = nn.Linear(64, classes)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) to logits (B, C)."""
        states = self.lstm(self.embedding(x))[0]
        alpha = F.softmax(torch.matmul(torch.tanh(states), self.w), dim=1).unsqueeze(-1)
        logits: Tensor = self.fc(self.fc1(F.relu(torch.sum(states * alpha, 1))))
        return logits


class DPCNN(nn.Module):
    """250 maps; one pair of convolutions for all blocks."""

    def __init__(self, vocabulary: int, classes: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, DIM)
        self.conv_region = nn.Conv2d(1, 250, (3, DIM))
        self.conv = nn.Conv2d(250, 250, (3, 1))
        self.max_pool = nn.MaxPool2d(kernel_size=(3, 1), stride=2)
        self.padding1 = nn.ZeroPad2d((0, 0, 1, 1))
        self.padding2 = nn.ZeroPad2d((0, 0, 0, 1))
        self.fc = nn.Linear(250, classes)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) to logits (B, C)."""
        x = self.conv_region(self.embedding(x).unsqueeze(1))
        for _ in range(2):
            x = self.conv(F.relu(self.padding1(x)))
        while x.size(2) > 2:
            pooled = self.max_pool(self.padding2(x))
            x = pooled
            for _ in range(2):
                x = self.conv(F.relu(self.padding1(x)))
            x = x + pooled
        logits: Tensor = self.fc(x.flatten(1))
        return logits


class EncoderLayer(nn.Module):
    """Attention of five heads and a feed-forward layer of 1,024, each with dropout 0.5, residual and layer norm."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.fc = (nn.Linear(DIM, DIM) for _ in range(4))
        self.fc1, self.fc2 = nn.Linear(DIM, 1024), nn.Linear(1024, DIM)
        self.norm1, self.norm2 = nn.LayerNorm(DIM), nn.LayerNorm(DIM)
        self.dropout = nn.Dropout(0.5)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, D) to (B, T, D)."""
        heads, size = 5, DIM // 5
        query, key, value = (layer(x).view(len(x) * heads, -1, size) for layer in (self.query, self.key, self.value))
        attention = F.softmax(torch.matmul(query, key.permute(0, 2, 1)) * size**-0.5, dim=-1)
        context = torch.matmul(attention, value).view(len(x), -1, DIM)
        x = self.norm1(self.dropout(self.fc(context)) + x)
        y: Tensor = self.norm2(self.dropout(self.fc2(F.relu(self.fc1(x)))) + x)
        return y


class Transformer(nn.Module):
    """Two layers; all places of a text go into the classifier."""

    def __init__(self, vocabulary: int, classes: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, DIM)
        self.positions = nn.Parameter(torch.randn(CHARACTERS, DIM), requires_grad=False)
        self.dropout = nn.Dropout(0.5)
        self.encoders = nn.ModuleList(EncoderLayer() for _ in range(2))
        self.fc1 = nn.Linear(CHARACTERS * DIM, classes)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) to logits (B, C)."""
        x = self.dropout(self.embedding(x) + self.positions)
        for encoder in self.encoders:
            x = encoder(x)
        logits: Tensor = self.fc1(x.view(len(x), -1))
        return logits


class FastText(nn.Module):
    """Rows of characters, bigrams and trigrams side by side, averaged; a layer of 256. Its gradients are dense."""

    def __init__(self, vocabulary: int, classes: int, buckets: int = BUCKETS) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, DIM)
        self.bigrams, self.trigrams = nn.Embedding(buckets, DIM), nn.Embedding(buckets, DIM)
        self.dropout = nn.Dropout(0.5)
        self.fc1, self.fc2 = nn.Linear(3 * DIM, 256), nn.Linear(256, classes)
        self.buckets = buckets

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) to logits (B, C); the n-grams are hashed here, where the toolkit does it before training."""
        before = F.pad(x, (1, 0))[:, :-1]
        two = F.pad(x, (2, 0))[:, :-2]
        rows = self.embedding(x), self.bigrams(before * 14918087 % self.buckets)
        third = self.trigrams((two * 14918087 * 18408749 + before * 14918087) % self.buckets)
        logits: Tensor = self.fc2(F.relu(self.fc1(self.dropout(torch.cat((*rows, third), -1).mean(dim=1)))))
        return logits


MODELS: dict[str, Callable[[int, int], nn.Module]] = {
    "textcnn": TextCNN,
    "bilstm": TextRNN,
    "att-blstm": TextRNNAtt,
    "dpcnn": DPCNN,
    "transformer": Transformer,
    "fasttext": FastText,
}


def toolkit_step(network: nn.Module) -> Callable[[Tensor, Tensor], None]:
    """A step as its train_eval.py makes it: characters (B, T), classes (B,)."""
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-3)
    network.train()

    def step(words: Tensor, classes: Tensor) -> None:
        outputs = network(words)
        network.zero_grad()
        F.cross_entropy(outputs, classes).backward()  # type: ignore[no-untyped-call]
        optimiser.step()

    return step
