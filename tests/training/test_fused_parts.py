"""The pieces of fused training, each against torch's own."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn, tensor
from torch.testing import assert_close

from retable.errors import InputError
from retable.layers.embedding import PADDING
from retable.layers.pooled_convolution import PooledConv1d, by_torch
from retable.text.vocabulary import Encoded
from retable.training.fused.convolution import in_groups, one_by_one
from retable.training.fused.determinism import deterministic
from retable.training.fused.inside import InsideVmap
from retable.training.fused.masks import Dropout, draw_masks, own_generator
from retable.training.fused.optimisers import StackedOptimiser, clip
from retable.training.fused.over_runs import over_runs
from retable.training.fused.probing import dropouts_of, shortest_texts
from retable.training.fused.recurrence import gru_states, lstm_states
from retable.training.fused.runs import equal_sizes, one_behind_the_other
from retable.training.fused.stack import Stack, stacked
from retable.training.optimisers import build_optimisers
from tests.models.test_every_model import Case
from tests.training.fused_runs import CPU, network_of

pytestmark = pytest.mark.usefixtures("doubles")
NAMES = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")


@pytest.mark.parametrize(("layer", "states"), [(nn.LSTM, lstm_states), (nn.GRU, gru_states)])
@pytest.mark.parametrize("words", [1, 6])
def test_a_recurrence_over_runs_is_torchs_and_so_is_its_gradient(layer, states, words):
    torch.manual_seed(1)
    layers = [layer(4, 3, batch_first=True) for _ in range(3)]
    x = torch.randn(3, 2, words, 4, requires_grad=True)
    weights = [torch.stack([getattr(each, name).detach() for each in layers]).requires_grad_() for name in NAMES]
    found = states(x, *weights)
    found.square().sum().backward()
    for run, each in enumerate(layers):
        own = x[run].detach().requires_grad_()
        expected = each(own)[0]
        expected.square().sum().backward()
        assert_close(found[run], expected)
        assert_close(x.grad[run], own.grad)
        for name, weight in zip(NAMES, weights, strict=True):
            assert_close(weight.grad[run], getattr(each, name).grad)


@pytest.mark.parametrize(("width", "padding"), [(1, 0), (3, 1), (3, 2), (5, 4)])
@pytest.mark.parametrize("way", [one_by_one, in_groups])
def test_a_convolution_over_runs_is_torchs_and_so_is_its_gradient(way, width, padding):
    torch.manual_seed(1)
    layers = [nn.Conv1d(4, 3, width, padding=padding) for _ in range(3)]
    x = torch.randn(3, 2, 4, 6, requires_grad=True)
    filters, bias = (
        torch.stack([getattr(each, name).detach() for each in layers]).requires_grad_() for name in ("weight", "bias")
    )
    found = way(x, filters, bias, padding)
    found.square().sum().backward()
    for run, each in enumerate(layers):
        own = x[run].detach().requires_grad_()
        expected = each(own)
        expected.square().sum().backward()
        assert_close(found[run], expected)
        assert_close(x.grad[run], own.grad)
        assert_close(filters.grad[run], each.weight.grad)
        assert_close(bias.grad[run], each.bias.grad)


def test_a_pooled_convolution_is_computed_run_by_run(monkeypatch):
    """Not in vmap's groups: the layer's own way to torch under vmap passes by what is answered for it."""
    asked = []
    monkeypatch.setattr(
        "retable.training.fused.inside.convolution",
        lambda *inputs, padding: asked.append(1) or one_by_one(*inputs, padding),
    )
    layer, real = PooledConv1d(5, 4, 3).float(), torch.ones(2, 9, dtype=torch.bool)
    weights, x = torch.randn(3, 4, 5, 3, dtype=torch.float32), torch.randn(3, 2, 7, 5, dtype=torch.float32)

    def of_run(weight, x):
        with InsideVmap(iter(())):
            return torch.func.functional_call(layer, {"weight": weight}, (x, real))

    found = torch.vmap(of_run)(weights, x)
    assert asked == [1]
    for run in range(3):
        assert_close(found[run], by_torch(x[run], weights[run], layer.bias, real)[0])


def test_a_function_over_runs_sees_all_runs_also_of_what_they_share():
    x, shared = torch.randn(3, 2), torch.randn(2)
    seen = []

    def times(left, right):
        seen.append((left.shape, right.shape))
        return left * right

    assert_close(torch.vmap(lambda own: over_runs(times, own, shared))(x), x * shared)
    assert seen == [((3, 2), (3, 2))]


@pytest.mark.parametrize(("optimiser", "momentum"), [("adam", 0.0), ("sgd", 0.0), ("sgd", 0.9), ("adagrad", 0.0)])
@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_steps_are_torchs_at_each_runs_own_rate(optimiser, momentum, decay):
    """In the third step the second run has no gradient of the weight."""
    torch.manual_seed(1)
    layers = [nn.Linear(3, 2, bias=False) for _ in range(2)]
    flat = torch.stack([each.weight.detach().flatten() for each in layers])
    torchs = [build_optimisers(each, optimiser, 0.1, decay, momentum)[0] for each in layers]
    ours = StackedOptimiser(flat, [6], optimiser=optimiser, weight_decay=decay, momentum=momentum)
    for step in range(5):
        gradients, rates = torch.randn(2, 6), (0.1 + step, 0.02 * step + 0.01)
        moves = [1.0, 0.0 if step == 2 else 1.0]
        for run, (layer, each) in enumerate(zip(layers, torchs, strict=True)):
            layer.weight.grad = gradients[run].clone().view(2, 3) if moves[run] else None
            each.param_groups[0]["lr"] = rates[run]
            each.step()
        gradients[1] *= moves[1]
        ours.step(flat, gradients, np.array([rates]).T, np.array([moves]).T)
        for run, layer in enumerate(layers):
            assert_close(flat[run], layer.weight.detach().flatten(), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("optimiser", "momentum"), [("adam", 0.0), ("sgd", 0.9), ("adagrad", 0.0)])
def test_weights_whose_steps_are_counted_by_themselves(optimiser, momentum):
    torch.manual_seed(1)
    start = torch.randn(2, 5)
    flat, parts = start.clone(), [start[:, :2].clone(), start[:, 2:].clone()]
    options = {"optimiser": optimiser, "weight_decay": 0.1, "momentum": momentum}
    together = StackedOptimiser(flat, [2, 3], **options)
    apart = [StackedOptimiser(part, [part.shape[1]], **options) for part in parts]
    rates = np.array([[0.1], [0.3]])
    for step in range(4):
        gradient = torch.randn(2, 5)
        moves = np.array([[1.0, step != 1], [1.0, step > 2]])
        together.step(flat, gradient, rates, moves)
        for part, each, columns, move in zip(parts, apart, (slice(2), slice(2, 5)), moves.T, strict=True):
            each.step(part, gradient[:, columns], rates, move[:, None])
    assert_close(flat, torch.cat(parts, dim=1))


def test_each_run_is_clipped_by_its_own_norm():
    torch.manual_seed(1)
    gradient = torch.randn(3, 9) * tensor([[1.0], [5.0], [1e-3]])
    before = gradient.clone()
    clip(gradient, 0.7)
    for run in range(3):
        weight = nn.Parameter(torch.zeros(9))
        weight.grad = before[run].clone()
        nn.utils.clip_grad_norm_([weight], 0.7)
        assert_close(gradient[run], weight.grad)
    assert gradient[2].equal(before[2])


@pytest.mark.parametrize("layout", [(0, 1, 2), (1, 0, 2), (2, 0, 1)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_masks_are_those_that_torch_draws(layout, dtype):
    """Whatever the order in memory of what is dropped."""
    shape = (5, 7, 4)
    back = sorted(range(3), key=layout.__getitem__)
    x = torch.ones([shape[dim] for dim in layout], dtype=dtype).permute(back)
    torch.manual_seed(3)
    generator = own_generator(CPU)
    dropout = Dropout(("texts", "words", 4), 0.3, layout)
    for _ in range(2):  # and the generators stay in step
        expected = F.dropout(x, 0.3)
        longer = torch.Generator()
        (mask,) = draw_masks([dropout], [(5, 7), (5, 9)], [generator, longer], dtype)
        assert mask.shape == (2, 5, 9, 4)
        assert mask[0, :, :7].equal(expected)
        assert not mask[0, :, 7:].any()


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (Case("textcnn", 0, {"filters": 4}), [Dropout(("texts", 12), 0.5, (0, 1))]),
        (Case("avg-embedding", 0, {"dropout": 0.0}), []),
        (
            Case("lstm", 0, {"hidden": 5, "layers": 2, "dropout": 0.2}),
            [
                Dropout(("texts", "words", 6), 0.2, (0, 1, 2)),
                Dropout(("texts", "words", 5), 0.2, (1, 0, 2)),  # torch.lstm gives its states word by word
                Dropout(("texts", 5), 0.2, (0, 1)),
            ],
        ),
    ],
    ids=str,
)
def test_dropouts_are_found_without_using_up_random_numbers(case, expected):
    network = network_of(case, 1).train()
    before = torch.get_rng_state()
    assert dropouts_of(network, reads_parts=False) == expected
    assert torch.get_rng_state().equal(before)


class Drops(nn.Module):
    """Drops what is neither of a text nor of a word, or as often as there are words."""

    def __init__(self, often):
        super().__init__()
        self.weight, self.often = nn.Parameter(torch.ones(1)), often

    def forward(self, words, mask):
        x = words * self.weight
        for _ in range(words.shape[1] if self.often else 1):
            F.dropout(x if self.often else x.flatten(), 0.5, self.training)
        return x


def test_dropout_that_cannot_be_followed_is_refused():
    with pytest.raises(InputError, match=r"Drops drops components of shape \(10,\)"):
        dropouts_of(Drops(often=False), reads_parts=False)
    with pytest.raises(InputError, match="Drops drops more often where texts are longer"):
        dropouts_of(Drops(often=True), reads_parts=False)


def test_blocks_of_a_pyramid_need_longer_and_longer_texts():
    needs = shortest_texts(network_of(Case("dpcnn", 0, {"maps": 8, "blocks": 5}), 1), 11, reads_parts=False)
    assert {name[:8]: words for name, words in needs.items() if name.startswith("blocks.")} == {
        "blocks.0": 1, "blocks.1": 2, "blocks.2": 4, "blocks.3": 8, "blocks.4": 12,
    }  # fmt: skip
    assert needs["output.bias"] == needs["embedding.tuned"] == 1


def test_weights_of_other_networks_are_all_needed_by_one_word():
    for case in (Case("textcnn", 0), Case("fcsr", 0), Case("lama", 0, {"disagreement": "positions"})):
        assert set(shortest_texts(network_of(case, 1).train(), 50, reads_parts=False).values()) == {1}


def test_tables_are_padded_and_other_weights_must_fit():
    found = stacked("network.embedding.tuned", [torch.ones(2, 3), torch.ones(4, 3)])
    assert found[:, :, 0].tolist() == [[1, 1, 0, 0], [1, 1, 1, 1]]
    with pytest.raises(InputError, match=r"output\.bias has the shapes \(2,\), \(4,\)"):
        stacked("output.bias", [torch.ones(2), torch.ones(4)])
    with pytest.raises(InputError, match=r"tuned has the shapes \(2, 3\), \(2, 4\)"):
        stacked("embedding.tuned", [torch.ones(2, 3), torch.ones(2, 4)])


def test_words_without_a_tuned_vector_move_up():
    networks = [network_of(Case("avg-embedding", 0), 1, words=9, tuned=tuned) for tuned in (3, 5, 9)]
    stack = Stack(networks)
    words = np.array([0, 1, 2, 3, 4, 8])
    assert stack.renumber(words, networks[0]).tolist() == [0, 1, 2, 9, 10, 14]
    assert stack.renumber(words, networks[2]).tolist() == words.tolist()


def test_a_table_that_all_runs_share_is_kept_once():
    one, other = (network_of(Case("avg-embedding", 0), 1, tuned=0) for _ in range(2))
    assert Stack([one, other]).shared["embedding.fixed"] is one.embedding.fixed
    other.embedding.fixed[5] += 1
    assert not Stack([one, other]).shared


def test_padding_never_learns():
    """vmap drops F.embedding's padding_idx."""
    networks = [network_of(Case("avg-embedding", 0, {"dropout": 0.0}), seed) for seed in (1, 2)]
    stack = Stack(networks)
    stack.flat.grad = torch.ones_like(stack.flat)
    ones = dict(zip(stack.shapes, stack.gradient().split(stack.sizes, dim=1), strict=True))
    dim = stack.shapes["embedding.tuned"][1]
    assert not ones["embedding.tuned"][:, PADDING * dim : (PADDING + 1) * dim].any()
    assert sum(int(each.sum()) for each in ones.values()) == stack.flat.numel() - 2 * dim


def test_texts_stand_behind_each_other():
    one = Encoded(np.array([2, 3, 4], np.int32), np.array([0, 1, 3]), np.array([0, 1]))
    other = Encoded(np.array([5, 6], np.int32), np.array([0, 2]), np.array([1]))
    both = one_behind_the_other([one, other], [one.words, other.words + 10])
    assert both.words.tolist() == [2, 3, 4, 15, 16]
    assert both.offsets.tolist() == [0, 1, 3, 5]
    assert both.classes.tolist() == [0, 1, 1]
    assert both.parts is None
    assert equal_sizes([50, 7, 50, 3]) == [[0, 2], [1], [3]]


def test_deterministic_algorithms_are_taken_and_given_back(monkeypatch):
    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG", raising=False)

    def asked():
        cudnn = torch.backends.cudnn
        return torch.are_deterministic_algorithms_enabled(), cudnn.deterministic, cudnn.benchmark

    def interrupted():
        with deterministic(True):
            assert asked() == (True, True, False)
            raise KeyError

    before = asked()
    with deterministic(False):
        assert asked() == before
    with pytest.raises(KeyError):
        interrupted()
    assert asked() == before
