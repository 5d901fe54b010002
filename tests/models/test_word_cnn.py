"""Word-based ConvNet, Zhang, Zhao and LeCun 2015, section 3.2."""

import pytest
import torch
from torch import Tensor, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.char_cnn import CharCNN
from retable.models.word_cnn import WordCNN
from tests.models.declared import CLASSES, DIM, Case, Declared, texts, with_random_weights
from tests.models.test_char_cnn import multiply_adds

SIZES = {"filters": 16, "hidden": 24, "spread": 0.25}


def parameters(columns: int, filters: int = 16, hidden: int = 24) -> int:
    """Count the parameters: Weights and biases: convolutions of 7, 7 and four times 3 words, three layers."""
    convolutions = 7 * DIM * filters + (7 + 4 * 3) * filters**2 + 6 * filters
    return convolutions + columns * filters * hidden + hidden + hidden**2 + hidden + hidden * CLASSES + CLASSES


EVERY_MODEL = Declared(
    cases=[
        Case("word-cnn", parameters(4), {"frames": 204, **SIZES}),
        Case("word-cnn", parameters(1), {"frames": 123, **SIZES, "dropout": 0.3}),
    ],
    dropped=lambda hidden, **_: [texts(hidden), texts(hidden)],
    multiply_adds=multiply_adds,
    refused=[
        ({"frames": 122}, "frames is 122; allowed: frames >= 123"),
        ({"filters": 0}, "filters is 0; allowed: filters >= 1"),
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed"),
        ({"spread": -1.0}, "spread is -1.0; allowed"),
    ],
)


def small_network(**options) -> WordCNN:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(5)
    options = {"frames": 204, "filters": 3, "hidden": 4} | options
    return with_random_weights(WordCNN(WordEmbedding(torch.randn(20, 4), tuned=20), 2, **options), std=0.3).double()


def slow_logits(network: WordCNN, words: Tensor) -> Tensor:
    """Return the logits of one unpadded text: all frames, the last word first, place by place."""
    vectors = network.embedding(words.unsqueeze(0))[0].flip(0)[: network.frames]
    signal = torch.zeros(network.frames, 4, dtype=torch.float64)
    signal[: len(vectors)] = vectors
    for number, convolution in enumerate(network.convolutions):
        width = convolution.kernel_size[0]
        answers = [
            (convolution.weight * signal[place : place + width].T).sum(dim=(1, 2)) + convolution.bias
            for place in range(len(signal) - width + 1)
        ]
        signal = torch.stack(answers).clamp(min=0)
        if number in (0, 1, 5):
            signal = torch.stack([signal[place : place + 3].amax(dim=0) for place in range(0, len(signal) - 2, 3)])
    text = signal.T.flatten()
    for layer in network.hidden:
        text = (layer.weight @ text + layer.bias).clamp(min=0)
    return network.output.weight @ text + network.output.bias


@pytest.mark.parametrize("frames", [123, 204, 210])  # 210 leaves six frames that no column sees
@pytest.mark.parametrize("longest", [1, 27, 28, 230])
def test_logits_match_the_slow_loops(frames, longest):
    """Check padded texts with arbitrary padding; 27 words end with a column, of 230 words 204 are read."""
    network = small_network(frames=frames)
    lengths = (longest, 1, (longest + 1) // 2)
    words = torch.randint(2, 20, (3, longest))
    logits = network(words, torch.arange(longest) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, words[text, :length]), msg=f"{length} of {longest} words")


def test_columns_of_padding_alone_change_nothing():
    """Nine words alone and in a batch as long as the frames: two columns and all four are computed."""
    network, words = small_network(), torch.randint(2, 20, (1, 204))
    assert_close(
        network(words[:, :9], torch.ones(1, 9, dtype=torch.bool)), network(words, torch.arange(204).unsqueeze(0) < 9)
    )
    assert [network.frames_worked_out(length) for length in (1, 27, 28, 54, 55, 999)] == [150, 150, 177, 177, 204, 204]


def test_sums_by_hand():
    """All weights 1, biases 0: seven ones give 7, 6, 5 ... 1, pooled 7, 4, 1; the next 12, 5, 1, pooled 12; then 12.

    The last word is the first frame: six ones and then a 5 give 11, 6, 5 ... 1, pooled 11, 4, 1, and 16.
    """
    network = WordCNN(WordEmbedding(tensor([[0.0], [0.0], [1.0], [5.0]]), tuned=0), 1, frames=123, filters=1, hidden=1)
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            parameter.fill_(0.0 if name.endswith("bias") else 1.0)
    words = tensor([[2] * 7, [2] * 6 + [3], [2] + [0] * 6])
    mask = words > 0
    assert network.eval()(words, mask).tolist() == [[12.0], [16.0], [1.0]]


def test_on_one_hot_rows_it_is_the_character_network():
    """The same weights on the same rows give the same logits: the networks differ only in their input."""
    rows = torch.eye(9)[:, 2:]
    options = {"frames": 180, "filters": 3, "hidden": 4, "spread": 0.4}
    torch.manual_seed(2)
    characters = CharCNN(WordEmbedding(rows, tuned=0), 3, **options).eval()
    network = WordCNN(WordEmbedding(rows, tuned=0), 3, **options).eval()
    network.load_state_dict(characters.state_dict())
    words, mask = torch.randint(1, 9, (4, 40)), torch.arange(40) < tensor([[40], [1], [13], [27]])
    assert_close(network(words, mask), characters(words, mask))


def test_layers_have_the_output_sizes_of_the_small_network():
    """Tables 1 and 2: layer 7 reads 34 frames of 256 features."""
    network = WordCNN(WordEmbedding(torch.zeros(5, 300), tuned=5), 4)
    shapes = [tuple(layer.weight.shape) for layer in (*network.hidden, network.output)]
    assert shapes == [(1024, 8704), (1024, 1024), (4, 1024)]
    assert network.convolutions[0].weight.shape == (256, 300, 7)
    assert network.alphabet == ""  # words have vectors of their own
