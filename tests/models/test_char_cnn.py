import math

import pytest
import torch
from torch import tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.char_cnn import CharCNN, backward_frames, lengths_of
from tests.models.declared import CLASSES, DIM, Case, Declared, texts, with_random_weights

FRAMES = 150  # two places are left after the last pooling: (150 - 96) / 27


def parameters(filters, hidden):
    convolutions = 7 * DIM * filters + (7 + 4 * 3) * filters**2 + 6 * filters
    return convolutions + 2 * filters * hidden + hidden + hidden**2 + hidden + hidden * CLASSES + CLASSES


def multiply_adds(t, *, frames, filters, hidden, **_):
    """Count backward from k columns: 3 k places before the last pooling, 2 more before each convolution of 3 ...

    Of the columns, 27 characters apart, those that see a character and one more are computed.
    """
    columns = (frames - 96) // 27
    k = min(math.ceil(t / 27) + 1, columns)
    places = [
        (27 * k + 90, 7 * DIM),
        (9 * k + 24, 7 * filters),
        *((3 * k + more, 3 * filters) for more in (6, 4, 2, 0)),
    ]
    convolved = sum(left * size * filters for left, size in places)
    return convolved + columns * filters * hidden + hidden**2 + hidden * CLASSES


EVERY_MODEL = Declared(
    cases=[
        Case(
            "char-cnn",
            parameters(16, 24),
            {"frames": FRAMES, "filters": 16, "hidden": 24, "spread": 0.2},
        ),
        Case(
            "char-cnn",
            parameters(16, 24),
            {"frames": FRAMES, "filters": 16, "hidden": 24, "spread": 0.2, "dropout": 0.3},
        ),
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


def network(**options):
    torch.manual_seed(1)
    rows = torch.eye(7)[:, 2:]  # padding and the unknown character are zero, five characters one-hot
    options = {"frames": FRAMES, "filters": 4, "hidden": 5} | options
    return with_random_weights(CharCNN(WordEmbedding(rows, tuned=0), 3, **options), std=0.3)


def slow(net, characters):
    """Compute the text's logits as in the paper: h_j(y), pooling and layers by loops over places."""
    frames = torch.zeros(net.frames, 5, dtype=torch.float64)
    for place, row in enumerate(reversed(characters)):
        if place < net.frames and row >= 2:
            frames[place, row - 2] = 1.0
    signal = frames
    for number, convolution in enumerate(net.convolutions):
        kernel = convolution.kernel_size[0]
        answers = []
        for y in range(len(signal) - kernel + 1):
            window = signal[y : y + kernel].T  # (features, kernel)
            answers.append((convolution.weight * window).sum(dim=(1, 2)) + convolution.bias)
        signal = torch.stack(answers).clamp(min=0)
        if number in (0, 1, 5):
            signal = torch.stack([signal[y : y + 3].max(dim=0).values for y in range(0, len(signal) - 2, 3)])
    text = signal.T.flatten()
    for layer in net.hidden:
        text = (layer.weight @ text + layer.bias).clamp(min=0)
    return net.output.weight @ text + net.output.bias


@pytest.mark.parametrize("frames", [123, 150, 204, 210])  # 210 leaves six frames that no column sees
@pytest.mark.parametrize("longest", [1, 5, 27, 28, 149, 150, 230])
def test_the_logits_are_those_of_a_slow_loop_over_the_paper(frames, longest):
    """Check padded texts with arbitrary padding; 27 characters end with a column.

    It fails with one column less, and with frames that begin at the first character.
    """
    net = network(frames=frames).double()
    lengths = (longest, 1, (longest + 1) // 2)
    words = torch.randint(1, 7, (3, longest))
    logits = net(words, torch.arange(longest) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow(net, words[text, :length].tolist()), msg=f"{length} of {longest} characters")


def test_columns_of_padding_alone_change_nothing():
    """Nine characters alone and in a batch as long as the frames: two columns and all four are computed."""
    net, words = network(frames=204).double(), torch.randint(1, 7, (1, 204))
    assert_close(net(words[:, :9], torch.ones(1, 9, dtype=torch.bool)), net(words, torch.arange(204).unsqueeze(0) < 9))
    assert [net.frames_worked_out(length) for length in (1, 27, 28, 54, 55, 999)] == [150, 150, 177, 177, 204, 204]


def test_frames_are_backward_from_the_last_character_by_hand():
    words = tensor([[4, 5, 6, 0], [2, 3, 4, 5]])
    mask = words > 0
    assert backward_frames(words, mask, 3).tolist() == [[6, 5, 4], [5, 4, 3]]  # the first of four is left out
    assert backward_frames(words, mask, 6).tolist() == [[6, 5, 4, 0, 0, 0], [5, 4, 3, 2, 0, 0]]


@pytest.mark.parametrize(("frames", "lengths"), [(1014, [1008, 330, 108, 106, 104, 102]), (123, [117, 33, 9, 7, 5, 3])])
def test_the_places_are_those_of_table_1(frames, lengths):
    assert lengths_of(frames) == lengths
    assert lengths[-1] // 3 == (frames - 96) // 27  # section 2.3


def test_a_network_of_the_papers_size_reads_34_frames_of_256_features():
    with torch.device("meta"):
        net = CharCNN(WordEmbedding(torch.zeros(71, 69), tuned=0), 4)
    assert net.hidden[0].in_features == 34 * 256  # table 2 begins with 8704 inputs
    assert [(layer.in_channels, layer.out_channels, *layer.kernel_size) for layer in net.convolutions] == [
        (69, 256, 7), (256, 256, 7), *[(256, 256, 3)] * 4,
    ]  # fmt: skip


def test_the_alphabet_is_the_papers_with_its_hyphen_once():
    assert len(CharCNN.alphabet) == len(set(CharCNN.alphabet)) == 69
    assert CharCNN.alphabet == CharCNN.alphabet.lower()
    assert " " not in CharCNN.alphabet


def test_unknown_characters_and_white_space_are_zero_vectors():
    net = network()
    words = tensor([[2, 1, 3]])
    frames = net.embedding(backward_frames(words, words > 0, 4))
    assert frames[0].tolist() == [[0, 1, 0, 0, 0], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 0]]


def test_first_weights_are_gaussian_and_biases_zero():
    torch.manual_seed(3)
    net = CharCNN(WordEmbedding(torch.eye(7)[:, 2:], tuned=0), 3, frames=FRAMES, filters=64, hidden=64)
    assert float(net.hidden[0].weight.detach().std()) == pytest.approx(0.05, rel=0.05)
    assert all(float(layer.bias.detach().abs().max()) == 0 for layer in (*net.convolutions, *net.hidden, net.output))
