"""Character-aware CNN, Kim, Jernite, Sontag and Rush 2016."""

import math

import pytest
import torch
from torch import Tensor, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.char_aware_cnn import WHITE, CharAwareCNN, Highway, in_words
from retable.text.vocabulary import vocabulary_of
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, texts, with_random_weights
from tests.models.test_lstm import slow_states

SPACE, LINE = WHITE
SMALL = {"size": 4, "widths": [1, 3], "filters": 2, "hidden": 5, "dropout": 0.1}  # one text has two words
FEATURES = 2 * (1 + 3)
WORDS = 2  # in the text with most words of test_every_model's eight


def convolved(biases: int = 1) -> int:
    """Count weights and biases of the filters; without biases, the multiply-adds per symbol."""
    return (4 * 1 + biases) * 2 * 1 + (4 * 3 + biases) * 2 * 3


def parameters(highways: int, layers: int) -> int:
    """Count table and ends, filters, highway layers, an LSTM with torch's two biases per gate, and the classifier."""
    lstm = gates(4, FEATURES, 5) + 8 * 5 + (layers - 1) * (gates(4, 5, 5) + 8 * 5)
    return 4 * DIM + 4 + 2 * 4 + convolved() + highways * 2 * (FEATURES**2 + FEATURES) + lstm + 6 * CLASSES


def multiply_adds(t: int, *, highways: int, layers: int, **_: object) -> float:
    """Count a character's vector; a word of 6 characters, which has 7 symbols and a space; the classifier."""
    lstm = gates(4, FEATURES, 5) + (layers - 1) * gates(4, 5, 5)
    return t * (4 * DIM + (7 * convolved(0) + highways * 2 * FEATURES**2 + lstm) / 6) + 5 * CLASSES


EVERY_MODEL = Declared(
    cases=[
        Case("char-aware-cnn", parameters(1, 2), SMALL | {"highways": 1, "layers": 2}),
        Case("char-aware-cnn", parameters(0, 1), SMALL | {"highways": 0, "layers": 1}),
        Case("char-aware-cnn", parameters(2, 1), SMALL | {"highways": 2, "layers": 1, "dropout": 0.2}),
    ],
    dropped=lambda *, layers, **_: [(8, WORDS, 5)] * (layers - 1) + [texts(5)],
    multiply_adds=multiply_adds,
    refused=[
        ({"size": 0}, "size is 0; allowed: size >= 1"),
        ({"widths": []}, "widths is []; allowed: one or more whole numbers >= 1"),
        ({"widths": [2, 0]}, "widths is [2, 0]; allowed: one or more whole numbers >= 1"),
        ({"filters": 0}, "filters is 0; allowed: filters >= 1"),
        ({"highways": -1}, "highways is -1; allowed: highways >= 0"),
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"layers": 0}, "layers is 0; allowed: layers >= 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(**options) -> CharAwareCNN:
    """Return the network in float64, with large weights and biases, in evaluation mode; 8 characters, two white."""
    torch.manual_seed(6)
    embedding = WordEmbedding(torch.eye(10)[:, 2:], tuned=0)
    return with_random_weights(CharAwareCNN(embedding, 3, **(SMALL | {"layers": 1} | options)).double(), std=0.6)


def split_at_spaces(numbers: list[int]) -> list[list[int]]:
    """Return the words of a text as Python's split gives them, or the first character of a white-space text."""
    text = "".join(" " if number in WHITE else chr(number + 60) for number in numbers)
    return [[ord(letter) - 60 for letter in word] for word in text.split()] or [numbers[:1]]


def slow_word(network: CharAwareCNN, word: list[int]) -> Tensor:
    """Compute one word's vector: every window of every filter, one after the other."""
    table = network.characters
    columns = [network.ends[0]]
    for number in word:
        one_hot = network.embedding(tensor([[number]]))[0, 0]
        columns.append(table.weight @ one_hot + table.bias)
    columns.append(network.ends[1])
    y = []
    for convolution in network.convolutions:
        width = convolution.kernel_size[0]
        behind = [torch.zeros_like(columns[0])] * (width - 1)
        for h, b in zip(convolution.weight, convolution.bias, strict=True):
            seen = columns + behind
            answers = [torch.tanh((torch.stack(seen[i : i + width], dim=1) * h).sum() + b) for i in range(len(columns))]
            y.append(max(answers))
    vector = torch.stack(y)
    for highway in network.highways:
        t = 1 / (1 + (-(highway.gate.weight @ vector + highway.gate.bias)).exp())
        vector = t * (highway.transform.weight @ vector + highway.transform.bias).clamp(min=0) + (1 - t) * vector
    return vector


def slow_logits(network: CharAwareCNN, numbers: list[int]) -> Tensor:
    states = [slow_word(network, word) for word in split_at_spaces(numbers)]
    for layer in range(network.lstm.num_layers):
        states = slow_states(network.lstm, states, f"l{layer}")
    return network.output.weight @ states[-1] + network.output.bias


@pytest.mark.parametrize("options", [{}, {"highways": 0}, {"highways": 2, "layers": 2}, {"widths": [6]}])
def test_fast_form_matches_words_windows_and_states_one_by_one(options):
    """Check texts of one to thirty characters, a third of them white space, with arbitrary padding."""
    network = small_network(**options)
    numbers = torch.randint(1, 10, (5, 30))
    numbers[torch.rand(5, 30) < 0.3] = SPACE
    numbers[4, :3] = SPACE
    lengths = (30, 1, 2, 17, 3)
    logits = network(numbers, torch.arange(30) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, numbers[text, :length].tolist()))


def test_windows_of_a_word_by_hand():
    """Characters of 1 and 2 between ends of 10 and -4: the filter (1, -1) of width 2 sees 10 - 1, 1 - 2, 2 + 4, -4."""
    network = CharAwareCNN(
        WordEmbedding(torch.eye(5)[:, 2:], tuned=0), 2, size=1, widths=[2], filters=1, highways=0, hidden=1, layers=1
    )
    with torch.no_grad():
        network.characters.weight.copy_(tensor([[0.0, 0.1, 0.2]]))
        network.characters.bias.zero_()
        network.ends.copy_(tensor([[1.0], [-0.4]]))
        network.convolutions[0].weight.copy_(tensor([[[1.0, -1.0]], [[-1.0, 1.0]]]))
        network.convolutions[0].bias.copy_(tensor([0.0, 0.05]))
    letters = network.characters(network.embedding(tensor([[3, 4]])))
    found = network.of_characters(letters, tensor([[True, True]]))
    assert_close(found, tensor([[math.tanh(1.0 - 0.1), math.tanh(0.4 + 0.05)]]))  # the last sees a zero after the end


def test_highway_by_hand():
    """t = 1/4 of relu(2 * 3 - 1) and 3/4 of the input, 3."""
    highway = Highway(1)
    with torch.no_grad():
        highway.transform.weight.fill_(2.0)
        highway.transform.bias.fill_(-1.0)
        highway.gate.weight.zero_()
        highway.gate.bias.fill_(math.log(1 / 3))
    assert_close(highway(tensor([[3.0]])), tensor([[0.25 * 5 + 0.75 * 3]]))


def test_a_new_highway_layer_lets_an_eighth_through_the_transform():
    highway = Highway(3)
    torch.nn.init.zeros_(highway.gate.weight)
    torch.nn.init.zeros_(highway.transform.weight)
    torch.nn.init.zeros_(highway.transform.bias)
    kept = 1 - 1 / (1 + math.exp(2))  # b_T is -2
    assert_close(highway(torch.ones(1, 3)), torch.full((1, 3), kept))


def test_white_space_is_in_no_word_but_that_of_a_white_text():
    numbers = tensor([[7, SPACE, LINE, 4, 1], [SPACE, SPACE, 5, 6, SPACE], [SPACE, SPACE, SPACE, 9, 9]])
    mask = torch.arange(5) < tensor([[5], [5], [3]])
    assert in_words(numbers, mask).int().tolist() == [[1, 0, 0, 1, 1], [0, 0, 1, 1, 0], [1, 0, 0, 0, 0]]


def test_how_many_spaces_stand_between_two_words_changes_nothing():
    network = small_network()
    one = network(tensor([[7, 4, SPACE, 5]]), torch.ones(1, 4, dtype=torch.bool))
    three = network(tensor([[SPACE, 7, 4, SPACE, LINE, 5, SPACE]]), torch.ones(1, 7, dtype=torch.bool))
    joined = network(tensor([[7, 4, 5]]), torch.ones(1, 3, dtype=torch.bool))
    assert_close(one, three)
    assert not torch.allclose(one, joined)


@pytest.mark.parametrize("lowercase", [True, False])
def test_white_characters_are_the_first_rows_of_the_alphabet(lowercase):
    vocabulary = vocabulary_of(CharAwareCNN.alphabet, lowercase=lowercase, unit="raw-characters")
    assert (vocabulary.words[SPACE], vocabulary.words[LINE]) == (" ", "\n")
    assert len(vocabulary.words) == len(set(vocabulary.words))


def test_a_network_of_the_papers_size():
    with torch.device("meta"):
        network = CharAwareCNN(WordEmbedding(torch.zeros(72, 70), tuned=0), 2)
    assert [(each.out_channels, *each.kernel_size) for each in network.convolutions] == [
        (25, 1), (50, 2), (75, 3), (100, 4), (125, 5), (150, 6),
    ]  # fmt: skip
    assert (network.lstm.input_size, network.lstm.hidden_size, network.lstm.num_layers) == (525, 300, 2)
