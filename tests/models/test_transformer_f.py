"""Transformer-F, eq. 1-7."""

import math
from itertools import product

import numpy as np
import pytest
import torch
from torch import tensor
from torch.testing import assert_close

from retable.errors import InputError
from retable.layers.embedding import WordEmbedding
from retable.models.transformer import Transformer
from retable.models.transformer_f import (
    TransformerF,
    WeighedAttention,
    correlations,
    hook,
    with_unit_rows,
)
from tests.models.test_every_model import with_random_weights

PARTS = ("<unknown>", "n", "u", "v", "p")
SIZE = 6


def small_network(**options) -> TransformerF:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(6)
    embedding = WordEmbedding(torch.randn(20, 4), tuned=20)
    return with_random_weights(TransformerF(embedding, 2, PARTS, **({"layers": 2, "size": SIZE} | options)).double())


def rho(x: np.ndarray, y: np.ndarray) -> float:
    """Compute eq. 3-4, component by component; 0 if a vector has no variance."""

    def expectation(values: list[float]) -> float:
        return sum(values) / len(values)

    mean_x, mean_y = expectation(list(x)), expectation(list(y))
    covariance = expectation([(a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)])
    variances = expectation([(a - mean_x) ** 2 for a in x]), expectation([(b - mean_y) ** 2 for b in y])
    if min(variances) < 1e-20:
        return 0.0
    return covariance / (math.sqrt(variances[0]) * math.sqrt(variances[1]))


def slow_weights(query, key, part_weights, *, attention, normalise, weigh, rescale) -> np.ndarray:
    """Return the weights of one unpadded text and head, computed word by word from the equations."""
    length, size = query.shape
    rows = np.zeros((length, length))
    for i in range(length):
        if attention == "correlation":
            scores = [rho(query[i], key[j]) for j in range(length)]  # eq. 2
            norm = math.sqrt(sum(score**2 for score in scores))
            if normalise and norm:
                scores = [score / norm for score in scores]
        else:
            scores = [float(query[i] @ key[j]) / math.sqrt(size) for j in range(length)]
        if part_weights is not None and weigh == "before":
            scores = [score * weight for score, weight in zip(scores, part_weights, strict=True)]
        exponentials = [math.exp(score) for score in scores]
        row = [value / sum(exponentials) for value in exponentials]  # eq. 1
        if part_weights is not None and weigh == "after":
            row = [value * weight for value, weight in zip(row, part_weights, strict=True)]  # eq. 5
            if rescale:
                row = [value / sum(row) for value in row]
        rows[i] = row
    return rows


def slow_attention(module: WeighedAttention, x: np.ndarray, part_weights, **options) -> np.ndarray:
    """Return the attention output for one unpadded text, (T, d)."""
    projected = x @ module.projections.weight.detach().numpy().T + module.projections.bias.detach().numpy()
    size = x.shape[1]
    if projected.shape[1] == size:
        query, key, value = x, x, projected
    else:
        query, key, value = np.split(projected, 3, axis=1)
    heads = []
    for head in range(module.heads):
        part = slice(head * size // module.heads, (head + 1) * size // module.heads)
        heads.append(slow_weights(query[:, part], key[:, part], part_weights, **options) @ value[:, part])
    return np.hstack(heads) @ module.output.weight.detach().numpy().T + module.output.bias.detach().numpy()


READINGS = [
    {"attention": attention, "on": on, "normalise": normalise, "weigh": weigh, "rescale": rescale}
    for attention, on, normalise, weigh, rescale in product(
        ("correlation", "dot-product"), ("inputs", "projections"), (True, False), ("after", "before"), (True, False)
    )
]


@pytest.mark.parametrize("weigh_parts", [True, False])
@pytest.mark.parametrize("heads", [1, 2])
def test_fast_form_matches_the_equations_word_by_word(weigh_parts, heads):
    """Check all readings on padded texts with arbitrary words in the padding."""
    for options in READINGS:
        network = small_network(heads=heads, weigh_parts=weigh_parts, other_weight=0.3, **options)
        module, slow = network.layers[0].attention, {name: options[name] for name in options if name != "on"}
        x, lengths = torch.randn(3, 5, SIZE, dtype=torch.float64), (5, 1, 3)
        parts, mask = torch.randint(0, 5, (3, 5)), torch.arange(5) < tensor(lengths).unsqueeze(1)
        fast = module(x, *network.attended(mask, parts))
        for text, length in enumerate(lengths):
            weights = [1.0 if PARTS[part] in "nv" else 0.3 for part in parts[text, :length]] if weigh_parts else None
            expected = slow_attention(module, x[text, :length].numpy(), weights, **slow)
            assert_close(fast[text, :length].detach().numpy(), expected, msg=str(options))


@pytest.mark.parametrize("fusion", ["hook", "last"])
def test_the_whole_matches_layer_by_layer(fusion):
    network = small_network(fusion=fusion, layers=3)
    words, parts = torch.randint(2, 20, (1, 4)), torch.randint(0, 5, (1, 4))
    mask = torch.ones(1, 4, dtype=torch.bool)
    x = network.inputs(network.embedding(words))
    fused = torch.zeros(SIZE, dtype=torch.float64)
    for number, layer in enumerate(network.layers, start=1):
        attended = slow_attention(
            layer.attention, x[0].detach().numpy(), [1.0 if PARTS[part] in "nv" else 0.5 for part in parts[0]],
            attention="correlation", normalise=True, weigh="after", rescale=True,
        )  # fmt: skip
        x = layer.attention_norm(x + torch.from_numpy(attended))
        x = layer.feed_forward_norm(x + layer.narrow(layer.widen(x).relu()))
        if fusion == "hook":
            fused = fused + (0.4 * number + 2.9 / number) / (3 / 2) * x[0].mean(dim=0)  # eq. 6 and 7
    text = fused if fusion == "hook" else x[0].mean(dim=0)
    assert_close(network(words, mask, parts)[0], network.output(text))


def test_correlation_by_hand():  # centred (-1, 0, 1), (1, 0, -1), (1, -2, 1), with variances 2/3, 2/3, 2
    x = tensor([[1.0, 2.0, 3.0], [9.0, 8.0, 7.0], [5.0, 2.0, 5.0]])
    assert_close(correlations(x, x), tensor([[1.0, -1, 0], [-1, 1, 0], [0, 0, 1]]))
    y = tensor([[1.0, 3.0, 2.0]])  # covariance with the first (1 * 1 + 0 + 0) / 3, variance 2/3
    assert_close(correlations(x[:1], y), tensor([[0.5]]))


def test_correlation_agrees_with_numpy():
    x = torch.randn(7, 40, dtype=torch.float64)
    assert_close(correlations(x, x).numpy(), np.corrcoef(x.numpy()))


def test_equal_words_correlate_fully_whatever_their_scale_and_offset():
    x = torch.randn(1, 8)
    assert_close(correlations(x, 3 * x + 5), tensor([[1.0]]))
    assert_close(correlations(x, -x), tensor([[-1.0]]))


@pytest.mark.parametrize("value", [0.0, 0.1, 1e4, -3.3])
def test_a_word_of_equal_components_correlates_with_nothing(value):
    x = torch.stack([torch.full((512,), value), torch.randn(512)]).requires_grad_()
    found = with_unit_rows(correlations(x, x), tensor([False, False]))
    assert found.tolist() == [[0, 0], [0, pytest.approx(1)]]
    found.sum().backward()
    assert x.grad.isfinite().all()


def test_gradient_of_the_correlation():
    x = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: with_unit_rows(correlations(x, x), tensor([False] * 3)), x)


def test_unit_rows_by_hand_leave_padding_out():
    matrix = tensor([[3.0, 4.0, 100.0], [0.0, 2.0, 100.0]])
    found = with_unit_rows(matrix, tensor([[False, False, True]]))
    assert_close(found[:, :2], tensor([[0.6, 0.8], [0.0, 1.0]]))


def test_part_weights_by_hand():  # equal scores; one content word of weight 1 and two others of 0.5: 1/2, 1/4, 1/4
    network = small_network(attention="dot-product", layers=1)
    module = network.layers[0].attention
    with torch.no_grad():
        module.projections.weight.zero_()
        module.projections.weight[2 * SIZE :] = torch.eye(SIZE)
        module.projections.bias.zero_()
        module.output.weight.copy_(torch.eye(SIZE))
        module.output.bias.zero_()
    x = torch.zeros(1, 3, SIZE, dtype=torch.float64)
    x[0, :, 0] = tensor([8.0, 4.0, 12.0])
    parts, mask = tensor([[1, 2, 0]]), torch.ones(1, 3, dtype=torch.bool)
    assert_close(module(x, *network.attended(mask, parts))[0, :, 0], torch.full((3,), 8.0, dtype=torch.float64))
    network.in_bias = False  # not rescaled: 1/3 (8 + 2 + 6)
    found = module(x, *network.attended(mask, parts))[0, :, 0]
    assert_close(found, torch.full((3,), 16 / 3, dtype=torch.float64))


@pytest.mark.parametrize("kind", ["correlation", "dot-product"])
def test_texts_of_content_words_alone_are_not_weighed(kind):
    words, mask, parts = torch.randint(2, 20, (2, 5)), torch.ones(2, 5, dtype=torch.bool), torch.full((2, 5), 3)
    weighed = small_network(attention=kind, content_weight=0.7)
    plain = small_network(attention=kind, weigh_parts=False)
    assert_close(weighed(words, mask, parts), plain(words, mask, parts))
    assert not torch.allclose(weighed(words, mask, tensor([[1, 2, 1, 1, 2]] * 2)), plain(words, mask, parts))


def test_a_text_of_one_word_attends_to_it_alone():
    mask, parts = tensor([[True]]), tensor([[2]])
    networks = [small_network(**options) for options in ({}, {"weigh_parts": False}, {"normalise": False})]
    first, *others = (network(tensor([[7]]), mask, parts) for network in networks)
    for other in others:
        assert_close(other, first)


def test_hook_by_hand():  # eq. 6 with the printed a = 0.4, b = 2.9, N = 6
    expected = [3.3 / 3, 2.25 / 3, (1.2 + 2.9 / 3) / 3, 2.325 / 3, 2.58 / 3, (2.4 + 2.9 / 6) / 3]
    assert hook(6, 0.4, 2.9) == pytest.approx(expected)
    assert [round(weight, 3) for weight in expected] == [1.1, 0.75, 0.722, 0.775, 0.86, 0.961]


def test_hook_in_its_limits():
    assert hook(4, 1.0, 0.0) == [0.5, 1.0, 1.5, 2.0]  # b = 0: proportional to the layer
    assert hook(1, 0.4, 2.9) == pytest.approx([6.6])  # N = 1: (a + b) / (1 / 2)
    weights = hook(6, 0.4, 2.9)
    assert min(weights) == weights[2]  # lowest near sqrt(b / a) = 2.7 layers


def test_without_its_strategies_it_is_the_plain_transformer():
    options = {"layers": 2, "size": SIZE, "heads": 2}
    network = small_network(attention="dot-product", weigh_parts=False, fusion="last", **options)
    plain = Transformer(WordEmbedding(torch.zeros(20, 4), tuned=20), 2, **options).double().eval()
    plain.load_state_dict(network.state_dict())
    words, mask = torch.randint(2, 20, (3, 5)), torch.arange(5) < tensor([[5], [1], [3]])
    assert_close(network(words, mask, torch.randint(0, 5, (3, 5))), plain(words, mask))


def test_a_list_that_fits_no_part_of_the_texts_is_refused():
    embedding = WordEmbedding(torch.zeros(5, 4), tuned=5)
    with pytest.raises(InputError, match=r"model\.content is \['NOUN'\].*n, u, v, p: no word"):
        TransformerF(embedding, 2, PARTS, layers=1, size=4, content=["NOUN"])
    TransformerF(embedding, 2, PARTS, layers=1, size=4, content=["NOUN"], weigh_parts=False)
