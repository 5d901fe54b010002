"""Skip-thought vectors, Kiros et al. 2015."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.errors import InputError
from retable.layers.embedding import WordEmbedding
from retable.models.skip_thought import WRITTEN, SkipThought, Writer, sentences_of
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, texts, with_random_weights
from tests.models.test_topic_rnn import slow_states

EVERY_MODEL = Declared(
    cases=[
        Case("skip-thought", gates(3, DIM, 5) + 6 * 5 + 6 * CLASSES, {"hidden": 5}),
        Case("skip-thought", gates(3, DIM, 8) + 6 * 8 + 9 * CLASSES, {"hidden": 8, "dropout": 0.2}),
    ],
    dropped=lambda *, hidden, **_: [texts(hidden)],
    multiply_adds=lambda t, *, hidden, **_: t * (gates(3, DIM, hidden) + hidden / 16) + hidden * CLASSES,
    refused=[
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"pretrain_epochs": -1}, "pretrain_epochs is -1; allowed: pretrain_epochs >= 0"),
        ({"pretrain_rate": -1.0}, "pretrain_rate is -1.0; allowed: pretrain_rate >= 0"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(*, tuned: int = 16, **options) -> SkipThought:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(5)
    embedding = WordEmbedding(torch.randn(20, 4), tuned=tuned)
    return with_random_weights(SkipThought(embedding, 2, **({"hidden": 3} | options)).double(), std=0.7)


def batch(*given: list[list[int]]) -> tuple[Tensor, Tensor, Tensor]:
    """Return words, mask and sentence numbers of some texts, each a list of sentences."""
    longest = max(sum(map(len, text)) for text in given)
    words, sentences = torch.full((len(given), longest), 7), torch.full((len(given), longest), 9)
    mask = torch.zeros(len(given), longest, dtype=torch.bool)
    for row, text in enumerate(given):
        flat = [(word, number) for number, sentence in enumerate(text) for word in sentence]
        for place, (word, number) in enumerate(flat):
            words[row, place], sentences[row, place], mask[row, place] = word, number, True
    return words, mask, sentences


TEXTS = ([[3, 4, 5], [6], [2, 18, 1, 9]], [[8]], [[2, 3, 4, 5, 6], [10, 11]])


def vectors(network: SkipThought, sentence: list[int]) -> list[Tensor]:
    return [network.embedding(tensor([[word]]))[0, 0] for word in sentence]


def slow_state(network: SkipThought, sentence: list[int]) -> Tensor:
    return slow_states(network.gru, vectors(network, sentence))[-1]


@pytest.mark.parametrize("options", [{}, {"tuned": 0}, {"hidden": 6}])
def test_fast_form_matches_the_sentences_one_by_one(options):
    network = small_network(**options)
    logits = network(*batch(*TEXTS))
    for row, text in enumerate(TEXTS):
        mean = sum(slow_state(network, sentence) for sentence in text) / len(text)
        assert_close(logits[row], network.output.weight @ mean + network.output.bias)


def slow_writing(network: SkipThought, writer: Writer, gru: nn.GRU, h: Tensor, sentence: list[int]) -> list[Tensor]:
    """Return log P of each word of a sentence and of <end>, from h and the words before (eq. 5-9)."""
    given = [torch.cat((x, h)) for x in vectors(network, [0, *sentence])]
    states = slow_states(gru, given)
    rows = [word if word < writer.softmax.n_classes else 1 for word in [*sentence, 0]]
    all_words = writer.softmax.log_prob(torch.stack(states))
    return [all_words[place, row] for place, row in enumerate(rows)]


def test_loss_matches_both_neighbours_word_by_word():
    network = small_network()
    writer = Writer(network.embedding, 3).double()
    numbers, real, text = sentences_of(*batch(*TEXTS))
    loss = writer(network.embedding, network.last_states(numbers, real), numbers, real, text[1:] == text[:-1])
    written = []
    for one in TEXTS:
        states = [slow_state(network, sentence) for sentence in one]
        for i in range(len(one) - 1):
            written += slow_writing(network, writer, writer.behind, states[i], one[i + 1])
            written += slow_writing(network, writer, writer.before, states[i + 1], one[i])
    assert_close(loss, -sum(written) / len(written))


def test_loss_of_equal_words_by_hand():
    """A softmax of zeros over 4 rows, the last of them a tail of one: 1/4 each, whatever is written."""
    network = small_network(tuned=4)
    writer = Writer(network.embedding, 3).double()
    for weight in writer.softmax.parameters():
        nn.init.zeros_(weight)
    words, real = tensor([[2, 2], [2, 0]]), tensor([[True, True], [True, False]])
    loss = writer(network.embedding, network.last_states(words, real), words, real, tensor([True]))
    assert loss.item() == pytest.approx(math.log(4))


def test_sentences_by_hand():
    words, real, text = sentences_of(*batch([[4, 5], [6]], [[7, 8, 9]]))
    assert [row[kept].tolist() for row, kept in zip(words, real, strict=True)] == [[4, 5], [6], [7, 8, 9]]
    assert text.tolist() == [0, 0, 1]


def test_the_order_of_a_text_s_sentences_changes_nothing_that_of_their_words_does():
    network = small_network()
    one, turned, mixed = network(*batch([[3, 4, 5], [6, 2]], [[6, 2], [3, 4, 5]], [[5, 4, 3], [6, 2]]))
    assert_close(one, turned)
    assert not torch.allclose(one, mixed)


def test_words_behind_the_thirtieth_are_not_written():
    network = small_network()
    writer = Writer(network.embedding, 3).double()
    losses = []
    for last in (4, 5):
        numbers, real, _ = sentences_of(*batch([[3], [2] * WRITTEN + [last]]))
        losses.append(writer(network.embedding, torch.zeros(2, 3).double(), numbers, real, tensor([True])).item())
    assert losses[0] == losses[1]


def passes(count: int = 4):
    """Return one pass's batches of texts of three sentences that each count up from a random word."""
    torch.manual_seed(3)
    words = 2 + (torch.randint(0, 18, (count, 8, 1)) + torch.arange(9)) % 18
    given = [(one, torch.ones_like(one, dtype=torch.bool), (torch.arange(9) // 3).expand(8, 9)) for one in words]
    return lambda: iter(given)


def trained(**options) -> SkipThought:
    torch.manual_seed(2)
    network = SkipThought(WordEmbedding(torch.randn(20, 4), tuned=16), 2, **({"hidden": 8} | options))
    network.train().pretrain(passes())
    return network


def test_pretraining_lowers_the_loss(monkeypatch):
    losses, forward = [], Writer.forward

    def noted(writer, *given):
        losses.append(forward(writer, *given))
        return losses[-1]

    monkeypatch.setattr(Writer, "forward", noted)
    trained(pretrain_epochs=8, pretrain_rate=0.03)
    assert len(losses) == 8 * 4
    assert sum(losses[-4:]) < 0.8 * sum(losses[:4])


def test_pretraining_is_repeatable_and_leaves_the_classifier():
    network, again, before = (trained(pretrain_epochs=epochs) for epochs in (2, 2, 0))
    assert all(map(torch.equal, network.state_dict().values(), again.state_dict().values()))
    same = {name for name, weight in network.state_dict().items() if weight.equal(before.state_dict()[name])}
    assert same == {"embedding.fixed", "output.weight", "output.bias"}
    assert not network.embedding.tuned[0].any()  # padding, read as <end>
    assert all(weight.grad is None for weight in network.parameters())


def test_texts_of_one_sentence_are_refused():
    one = batch([[2, 3]], [[4]])
    with pytest.raises(InputError, match="no training text has two sentences"):
        small_network().pretrain(lambda: iter([one]))
    small_network(pretrain_epochs=0).pretrain(lambda: iter([one]))
