"""SA-LSTM and LM-LSTM, Dai and Le 2015."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.layers.writing import sequences, softmax_of_words
from retable.models.sequence_autoencoder import SequenceAutoencoder
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, texts, with_random_weights, words
from tests.models.test_lstm import slow_states


def classified(hidden: int, mlp_hidden: int, biases: int = 1) -> int:
    """Count weights and biases of the classifier; without biases, its multiply-adds."""
    if not mlp_hidden:
        return (hidden + biases) * CLASSES
    return (hidden + biases) * mlp_hidden + (mlp_hidden + biases) * CLASSES


def parameters(hidden: int, mlp_hidden: int) -> int:
    """Count the parameters: an LSTM with torch's two biases per gate, and the classifier."""
    return gates(4, DIM, hidden) + 8 * hidden + classified(hidden, mlp_hidden)


EVERY_MODEL = Declared(
    cases=[
        Case("sequence-autoencoder", parameters(8, 16), {"hidden": 8, "mlp_hidden": 16}),
        Case("sequence-autoencoder", parameters(5, 0), {"hidden": 5, "mlp_hidden": 0, "objective": "language-model"}),
    ],
    dropped=lambda *, hidden, mlp_hidden, **_: [words(DIM), texts(mlp_hidden or hidden)],
    multiply_adds=lambda t, *, hidden, mlp_hidden, **_: t * gates(4, DIM, hidden) + classified(hidden, mlp_hidden, 0),
    refused=[
        ({"objective": "skip-thought"}, 'objective is "skip-thought"; allowed: autoencoder, language-model'),
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"mlp_hidden": -1}, "mlp_hidden is -1; allowed: mlp_hidden >= 0"),
        ({"pretrain_epochs": -1}, "pretrain_epochs is -1; allowed: pretrain_epochs >= 0"),
        ({"pretrain_rate": -1.0}, "pretrain_rate is -1.0; allowed: pretrain_rate >= 0"),
        ({"dropout_words": 1.0}, "dropout_words is 1.0; allowed: 0 <= dropout_words < 1"),
        ({"dropout": -0.1}, "dropout is -0.1; allowed: 0 <= dropout < 1"),
    ],
)
MASK = tensor([[True, True, True], [True, False, False]])


def small_network(*, tuned: int = 20, **options) -> SequenceAutoencoder:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(6)
    embedding = WordEmbedding(torch.randn(20, 4), tuned=tuned)
    network = SequenceAutoencoder(embedding, 2, **({"hidden": 4, "mlp_hidden": 5} | options))
    return with_random_weights(network.double(), std=0.7)


def texts_of(count: int = 4):
    """Return a function that gives one pass's batches: texts that count up from a random word."""
    torch.manual_seed(3)
    batch = 2 + (torch.randint(0, 18, (count, 8, 1)) + torch.arange(6)) % 18
    mask = torch.arange(6) < torch.randint(1, 7, (count, 8, 1))
    return lambda: iter(list(zip(batch, mask, strict=True)))


def test_what_is_read_and_written_by_hand():
    """<end> is 0: an autoencoder reads the text, <end>, the text; after the first <end> it writes the text, <end>."""
    numbers = tensor([[4, 5, 6], [7, 9, 9]])
    read, written, real, predicts = sequences(numbers, MASK, again=True)
    assert [text[kept].tolist() for text, kept in zip(read, real, strict=True)] == [[4, 5, 6, 0, 4, 5, 6], [7, 0, 7]]
    assert [text[kept].tolist() for text, kept in zip(written, predicts, strict=True)] == [[4, 5, 6, 0], [7, 0]]
    assert predicts.tolist() == [[False] * 3 + [True] * 4, [False, True, True] + [False] * 4]
    read, written, real, predicts = sequences(numbers, MASK, again=False)
    assert [text[kept].tolist() for text, kept in zip(read, real, strict=True)] == [[0, 4, 5, 6], [0, 7]]
    assert [text[kept].tolist() for text, kept in zip(written, predicts, strict=True)] == [[4, 5, 6, 0], [7, 0]]
    assert predicts.equal(real)


def slow_loss(network: SequenceAutoencoder, softmax: nn.Module, numbers: list[int]) -> list[Tensor]:
    """Return the losses of one text's words, one by one; untuned words are written as the unknown one, 1."""
    vectors = {number: network.embedding(tensor([[number]]))[0, 0] for number in [0, *numbers]}
    first = numbers if network.objective == "autoencoder" else []
    states = slow_states(network.lstm, [vectors[number] for number in [*first, 0, *numbers]], "l0")[len(first) :]
    rows = 20 if network.embedding.tuned is None else len(network.embedding.tuned)
    written = [number if number < rows else 1 for number in [*numbers, 0]]
    return [-softmax.log_prob(state[None])[0, number] for state, number in zip(states, written, strict=True)]


@pytest.mark.parametrize(
    ("objective", "tuned"), [("autoencoder", 20), ("autoencoder", 9), ("language-model", 20), ("autoencoder", 0)]
)
def test_the_loss_of_writing_is_that_of_a_loop(objective, tuned):
    """Check padded texts with arbitrary words in the padding."""
    network = small_network(objective=objective, tuned=tuned)
    softmax = softmax_of_words(network.embedding, 4).double()
    numbers, lengths = torch.randint(1, 20, (4, 7)), (7, 1, 2, 5)
    found = network.writing_loss(softmax, numbers, torch.arange(7) < tensor(lengths).unsqueeze(1))
    losses = [
        loss
        for text, length in enumerate(lengths)
        for loss in slow_loss(network, softmax, numbers[text, :length].tolist())
    ]
    assert_close(found, torch.stack(losses).mean())


def test_dropout_of_words_acts_in_pretraining():
    network = small_network(dropout_words=0.5, dropout=0.0)
    softmax, given = softmax_of_words(network.embedding, 4).double(), (tensor([[2, 3, 4]]), MASK[:1])
    assert network.writing_loss(softmax, *given).equal(network.writing_loss(softmax, *given))
    network.train()
    assert not network.writing_loss(softmax, *given).equal(network.writing_loss(softmax, *given))


def test_the_loss_of_equal_words_by_hand():
    """A softmax of zeros over 4 rows, the last of them a tail of one: 1/4 each."""
    network = small_network(tuned=4)
    softmax = softmax_of_words(network.embedding, 4).double()
    for weight in softmax.parameters():
        nn.init.zeros_(weight)
    assert network.writing_loss(softmax, tensor([[2, 2]]), tensor([[True, True]])).item() == pytest.approx(math.log(4))


def test_a_large_vocabulary_has_a_head_and_two_tails():
    embedding = WordEmbedding(torch.zeros(7000, 2), tuned=6500)
    softmax = softmax_of_words(embedding, 16)
    assert softmax.cutoffs == [1000, 5000, 6500]


def slow_logits(network: SequenceAutoencoder, numbers: Tensor) -> Tensor:
    x = slow_states(network.lstm, list(network.embedding(numbers.unsqueeze(0))[0]), "l0")[-1]
    for layer in network.classifier:
        if isinstance(layer, nn.Linear):
            x = layer.weight @ x + layer.bias
        elif isinstance(layer, nn.ReLU):
            x = x.clamp(min=0)
    return x


@pytest.mark.parametrize("options", [{}, {"mlp_hidden": 0}, {"tuned": 9}])
def test_fast_form_matches_the_equations_word_by_word(options):
    network = small_network(**options)
    numbers, lengths = torch.randint(2, 20, (4, 9)), (9, 1, 2, 5)
    logits = network(numbers, torch.arange(9) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, numbers[text, :length]))


def pretrained(**options) -> SequenceAutoencoder:
    network = small_network(**({"pretrain_epochs": 2, "tuned": 15} | options)).train()
    network.pretrain(texts_of())
    return network


def test_pretraining_lowers_the_loss(monkeypatch):
    losses, writing_loss = [], SequenceAutoencoder.writing_loss

    def noted(network, *given):
        losses.append(writing_loss(network, *given))
        return losses[-1]

    monkeypatch.setattr(SequenceAutoencoder, "writing_loss", noted)
    pretrained(hidden=12, pretrain_epochs=8, pretrain_rate=0.05)
    assert len(losses) == 8 * 4
    assert sum(losses[-4:]) < 0.8 * sum(losses[:4])


def test_pretraining_is_repeatable_and_starts_lstm_and_words():
    network, again, before = pretrained(), pretrained(), small_network(tuned=15)
    assert all(map(torch.equal, network.state_dict().values(), again.state_dict().values()))
    changed = {name for name, weight in network.state_dict().items() if not weight.equal(before.state_dict()[name])}
    assert changed == {"embedding.tuned", *(f"lstm.{name}" for name, _ in network.lstm.named_parameters())}
    assert not network.embedding.tuned[0].any()  # padding, read as <end>
    assert network.training
    assert all(weight.grad is None for weight in network.parameters())


def test_no_epochs_leave_the_network_as_it_was():
    network, before = pretrained(pretrain_epochs=0), small_network(tuned=15)
    assert all(map(torch.equal, network.state_dict().values(), before.state_dict().values()))
