"""DiSAN, Shen et al. 2018."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models import disan
from retable.models.disan import DirectionalAttention, DiSAN, attend
from tests.models.declared import CLASSES, DIM, Case, Declared, texts, with_random_weights, words

HIDDEN, MLP = 5, 7
OPTIONS = {"hidden": HIDDEN, "mlp_hidden": MLP}
OF_DIRECTION = DIM * HIDDEN + 4 * HIDDEN**2  # W^h, W^1, W^2, W^f1, W^f2
OF_SOURCE2TOKEN = 2 * (2 * HIDDEN) ** 2  # W^1, W
OF_CLASSIFIER = 2 * HIDDEN * MLP + MLP * CLASSES
BIASES = 2 * 3 * HIDDEN + 2 * HIDDEN + MLP + CLASSES


def multiply_adds(t: int, **_: object) -> float:
    """Count the matrices; pairs of one word with another, once per direction; the weighted sum of u."""
    pairs = 2 * t * (t - 1) / 2 * HIDDEN
    return t * (2 * OF_DIRECTION + OF_SOURCE2TOKEN + 2 * HIDDEN) + pairs + OF_CLASSIFIER


EVERY_MODEL = Declared(
    cases=[
        Case("disan", 2 * OF_DIRECTION + OF_SOURCE2TOKEN + OF_CLASSIFIER + BIASES, OPTIONS),
        Case("disan", 2 * OF_DIRECTION + OF_SOURCE2TOKEN + OF_CLASSIFIER + BIASES, OPTIONS | {"penalty": 0.0}),
    ],
    dropped=lambda **_: [
        *[words(DIM), words(HIDDEN), words(HIDDEN), words(HIDDEN)] * 2,  # x, h for the scores, s and h for the gate
        *[words(2 * HIDDEN)] * 2,  # u, the hidden scores
        texts(2 * HIDDEN),
        texts(MLP),
    ],
    multiply_adds=multiply_adds,
    refused=[
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"mlp_hidden": 0}, "mlp_hidden is 0; allowed: mlp_hidden >= 1"),
        ({"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
        ({"penalty": -1.0}, "penalty is -1.0; allowed: penalty >= 0"),
    ],
)
LENGTHS = tensor([7, 1, 2, 5])
MASK = torch.arange(7) < LENGTHS.unsqueeze(1)


def small_network(**options) -> DiSAN:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(6)
    network = DiSAN(WordEmbedding(torch.randn(20, 3), tuned=20), 2, **({"hidden": 4, "mlp_hidden": 5} | options))
    return with_random_weights(network.double(), std=1.0)


def random_terms() -> list[Tensor]:
    """Return both terms of the scores and the values of two texts of four words, with gradients required."""
    torch.manual_seed(2)
    return [torch.randn(2, 4, 2, dtype=torch.float64).mul_(3).requires_grad_() for _ in range(3)]


def slow_context(side: DirectionalAttention, h: Tensor, j: int) -> Tensor:
    """Compute s_j from the words on one side, one by one."""
    seen = range(j) if side.earlier else range(j + 1, len(h))
    w1, w2, b1 = side.attended.weight, side.attending.weight, side.attending.bias
    scores = [5 * torch.tanh((w1 @ h[i] + w2 @ h[j] + b1) / 5) for i in seen]  # f(h_i, h_j), one number per component
    total = sum(score.exp() for score in scores)
    return sum((f.exp() / total * h[i] for f, i in zip(scores, seen, strict=True)), start=torch.zeros_like(h[j]))


def slow_words(side: DirectionalAttention, x: Tensor) -> Tensor:
    """Return the words u of one unpadded text in one direction."""
    h = F.elu(x @ side.hidden.weight.T + side.hidden.bias)
    u = []
    for j, word in enumerate(h):
        s = slow_context(side, h, j)
        gate = torch.sigmoid(side.gate_context.weight @ s + side.gate_word.weight @ word + side.gate_word.bias)
        u.append(gate * word + (1 - gate) * s)
    return torch.stack(u)


def slow_logits(network: DiSAN, row: Tensor) -> Tensor:
    """Return the logits of one unpadded text, word by word and component by component from the equations."""
    x = network.embedding(row.unsqueeze(0))[0]
    u = torch.cat([slow_words(network.ahead, x), slow_words(network.back, x)], dim=1)
    scores = [network.scores.weight @ F.elu(network.hidden_scores(word)) for word in u]
    totals = sum(score.exp() for score in scores)
    text = sum(score.exp() / totals * word for score, word in zip(scores, u, strict=True))
    return network.classifier[3](F.relu(network.classifier[0](text)))


@pytest.mark.parametrize("numbers", [1, 4 * 7 * 4 * 3, 1 << 22])  # blocks of one word, of three, of all
def test_fast_form_matches_the_equations_word_by_word(monkeypatch, numbers):
    """Check padded texts with arbitrary words in the padding; it fails without either mask, and with i <= j."""
    monkeypatch.setattr(disan, "NUMBERS_IN_BLOCK", numbers)
    network = small_network()
    rows = torch.randint(2, 20, (4, 7))
    logits = network(rows, MASK)
    for text, length in enumerate(LENGTHS.tolist()):
        assert_close(logits[text], slow_logits(network, rows[text, :length]))


def test_context_of_three_words_by_hand():
    """Weights 1 : 3 of a first and a second word: a third word's score for the second is ln 3, for the first 0."""
    second = 5 * math.atanh(math.log(3) / 5)
    attended = tensor([[[0.0], [second], [7.0]]], dtype=torch.float64)
    values = tensor([[[2.0], [4.0], [8.0]]], dtype=torch.float64)
    mask = torch.ones(1, 3, dtype=torch.bool)
    attending = torch.zeros_like(attended)
    assert attend(attended, attending, values, mask, earlier=True).flatten().tolist() == pytest.approx([0, 2, 3.5])
    back = attend(attended.flip(1), attending, values.flip(1), mask, earlier=False)
    assert back.flatten().tolist() == pytest.approx([3.5, 2, 0])


def test_scores_stay_within_five_by_hand():
    """Terms far outside the bounds: weights e^5 : e^-5."""
    attended = tensor([[[1000.0], [-1000.0], [0.0]]], dtype=torch.float64)
    values = tensor([[[1.0], [0.0], [0.0]]], dtype=torch.float64)
    s = attend(attended, torch.zeros_like(attended), values, torch.ones(1, 3, dtype=torch.bool), earlier=True)
    assert s[0, 2, 0].item() == pytest.approx(1 / (1 + math.exp(-10)), rel=1e-9)


@pytest.mark.parametrize("earlier", [True, False])
@pytest.mark.parametrize("numbers", [1, 2 * 4 * 2 * 3])  # blocks of one word; of three and one
def test_gradients_are_those_of_central_differences(monkeypatch, earlier, numbers):
    monkeypatch.setattr(disan, "NUMBERS_IN_BLOCK", numbers)
    mask = tensor([[True, True, True, True], [True, True, False, False]])
    assert torch.autograd.gradcheck(lambda *given: attend(*given, mask, earlier=earlier), random_terms())


def test_a_word_that_sees_none_is_its_gated_self():
    """A text of one word: s is zero on both sides, and source2token has one word to choose from."""
    network, row = small_network(), tensor([[5]])
    x, u = network.embedding(row)[0, 0], []
    for side in (network.ahead, network.back):
        h = F.elu(side.hidden(x))
        u.append(torch.sigmoid(side.gate_word(h)) * h)
    expected = network.classifier(torch.cat(u))
    assert_close(network(row, tensor([[True]]))[0], expected)


def test_equal_scores_give_the_mean_of_the_words_seen():
    values = torch.randn(2, 7, 3, dtype=torch.float64)
    scores = torch.zeros_like(values)
    mean = attend(scores, scores, values, MASK[[0, 3]], earlier=False)
    for j in range(6):
        assert_close(mean[0, j], values[0, j + 1 :].mean(dim=0))
    assert_close(mean[1, 0], values[1, 1:5].mean(dim=0))  # of five words


def test_the_order_of_the_words_matters_through_the_masks_alone():
    """A reversed text, with the directions exchanged, has the same words in reverse."""
    network, rows = small_network(), torch.randint(2, 20, (1, 6))
    x, mask = network.embedding(rows), torch.ones(1, 6, dtype=torch.bool)
    ahead = network.ahead(x, mask)
    network.ahead.earlier = False
    assert_close(network.ahead(x.flip(1), mask).flip(1), ahead)
    assert not torch.allclose(network.ahead(x, mask), ahead, atol=1e-3)


def test_penalty_is_half_the_squares_of_matrices_without_words_and_biases():
    network = small_network(penalty=0.5)
    for parameter in network.parameters():
        torch.nn.init.constant_(parameter, 2.0)
    matrices = 2 * (3 * 4 + 4 * 16) + 2 * 64 + 8 * 5 + 5 * 2
    assert network.auxiliary_loss(tensor([0])).item() == pytest.approx(0.5 / 2 * matrices * 4)


def test_first_weights_are_glorots_and_biases_zero():
    network = DiSAN(WordEmbedding(torch.ones(4, 3), tuned=4), 2, hidden=4)
    bound = math.sqrt(6 / (3 + 4))
    assert bound / 2 < network.ahead.hidden.weight.abs().max() <= bound
    assert not any(bias.any() for name, bias in network.named_parameters() if name.endswith("bias"))
    assert network.embedding.tuned[1:].eq(1).all()


def test_narrow_numbers_are_weighed_and_summed_in_float32():
    """Terms in bfloat16 give the float32 result of the same numbers, except for the last rounding."""
    given = [terms.detach().to(torch.bfloat16) for terms in random_terms()]
    mask = torch.ones(2, 4, dtype=torch.bool)
    narrow, wide = (attend(*terms, mask, earlier=True) for terms in (given, [terms.float() for terms in given]))
    assert narrow.equal(wide.to(torch.bfloat16))
