"""Universal Transformer, Dehghani et al. 2019, with adaptive computation time."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.attention import padding_bias
from retable.layers.embedding import WordEmbedding
from retable.models.universal_transformer import UniversalTransformer, halting_weights
from tests.models.test_every_model import with_random_weights

SIZE = 6
ADAPTIVE = {"halting": "adaptive", "steps": 4, "threshold": 0.8}


def small_network(**options) -> UniversalTransformer:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(6)
    embedding = WordEmbedding(torch.randn(20, 4), tuned=20)
    network = UniversalTransformer(embedding, 2, **({"steps": 3, "size": SIZE} | options))
    return with_random_weights(network.double(), std=0.4)


def slow_norm(norm: nn.LayerNorm, x: Tensor) -> Tensor:
    variance = ((x - x.mean()) ** 2).mean()
    return (x - x.mean()) / (variance + norm.eps).sqrt() * norm.weight + norm.bias


def slow_layer(network: UniversalTransformer, x: list[Tensor]) -> list[Tensor]:
    """Compute LayerNorm(A + Transition(A)), A = LayerNorm(x + attention(x)), word by word; x includes its signals."""
    layer, heads = network.layer, network.layer.attention.heads
    made = [layer.attention.projections.weight @ word + layer.attention.projections.bias for word in x]
    width, revised = SIZE // heads, []
    for i, word in enumerate(x):
        mixed = []
        for head in range(heads):
            query, key, value = (slice(k * SIZE + head * width, k * SIZE + (head + 1) * width) for k in range(3))
            scores = [(made[i][query] @ other[key]).item() / math.sqrt(width) for other in made]
            total = sum(math.exp(score) for score in scores)
            mixed.append(sum(math.exp(s) / total * other[value] for s, other in zip(scores, made, strict=True)))
        attended = layer.attention.output.weight @ torch.cat(mixed) + layer.attention.output.bias
        a = slow_norm(layer.attention_norm, word + attended)
        hidden = (layer.widen.weight @ a + layer.widen.bias).relu()
        revised.append(slow_norm(layer.feed_forward_norm, a + layer.narrow.weight @ hidden + layer.narrow.bias))
    return revised


def slow_signal(place: int, step: int) -> Tensor:
    """Compute P^t of section 2.1, component by component; places and steps count from 1."""
    row = []
    for j in range(0, SIZE, 2):
        wave = 10000 ** (j / SIZE)
        row += [math.sin(place / wave) + math.sin(step / wave), math.cos(place / wave) + math.cos(step / wave)]
    return tensor(row, dtype=torch.float64)


def slow_text(network: UniversalTransformer, words: Tensor) -> tuple[Tensor, float, list[list[float]]]:
    """Return logits of one unpadded text, its mean ponder cost, and the weights of every word's steps (appendix C)."""
    x = list(network.projection(network.embedding(words.unsqueeze(0)))[0] * network.scale)
    output: list = [torch.zeros(SIZE, dtype=torch.float64) for _ in x]
    weights: list[list[float]] = [[] for _ in x]
    halted, cost = [False] * len(x), 0.0
    for step in range(1, network.steps + 1):
        x = [word + slow_signal(place, step) for place, word in enumerate(x, start=1)]
        states, x = x, slow_layer(network, x)
        if network.halting is None:
            output = x
            continue
        for i, state in enumerate(states):
            if halted[i]:
                continue
            p = torch.sigmoid(network.halting.weight[0] @ state + network.halting.bias[0])
            halted[i] = step == network.steps or sum(weights[i]) + p.item() > network.threshold
            w = 1 - sum(weights[i]) if halted[i] else p.item()
            weights[i].append(w)
            output[i] = w * x[i] + ((1 - w) * output[i] if network.combine == "interpolate" else output[i])
            cost += 1 + (w if halted[i] else 0)
    return network.output(torch.stack(output).mean(dim=0)), cost / len(x), weights


@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("options", [{}, ADAPTIVE, ADAPTIVE | {"combine": "sum", "scale": False}], ids=str)
def test_fast_form_matches_the_equations_word_by_word(options, heads):
    """Check padded texts with arbitrary words in the padding; it fails without the padding's bias."""
    network = small_network(heads=heads, **options)
    words, lengths = torch.randint(2, 20, (3, 6)), (6, 1, 4)
    logits = network(words, torch.arange(6) < tensor(lengths).unsqueeze(1))
    steps = set()
    for text, length in enumerate(lengths):
        expected, _, weights = slow_text(network, words[text, :length])
        assert_close(logits[text], expected, rtol=1e-6, atol=1e-6)  # positions are float32
        steps |= {len(of_word) for of_word in weights}
    assert len(steps) > 1 or not options  # words halt at different steps


def test_one_step_is_one_encoder_layer():
    network = small_network(steps=1)
    words, mask = torch.randint(2, 20, (2, 5)), torch.arange(5) < tensor([[5], [2]])
    x = network.projection(network.embedding(words)) * SIZE**0.5
    x = x + torch.stack([slow_signal(place, 1) for place in range(1, 6)])
    encoded = network.layer(x, padding_bias(mask))
    expected = torch.stack([encoded[text][mask[text]].mean(dim=0) for text in range(2)])
    assert_close(network(words, mask), network.output(expected), rtol=1e-6, atol=1e-6)


def copied(options: dict, source: UniversalTransformer) -> UniversalTransformer:
    """Return another network with this one's weights, as far as it has them."""
    network = small_network(**options)
    weights = {name: value for name, value in source.state_dict().items() if name in network.state_dict()}
    network.load_state_dict(weights)
    return network


@pytest.mark.parametrize("combine", ["interpolate", "sum"])
def test_adaptive_halting_in_its_limits(combine):
    """A probability near one halts after the first step, one near zero after the last: fixed halting's results."""
    network = small_network(**ADAPTIVE | {"combine": combine})
    words, mask = torch.randint(2, 20, (3, 5)), torch.arange(5) < tensor([[5], [1], [3]])
    nn.init.zeros_(network.halting.weight)
    for bias, steps in ((50.0, 1), (-50.0, 4)):
        nn.init.constant_(network.halting.bias, bias)
        assert_close(network(words, mask), copied({"steps": steps}, network)(words, mask))


def test_a_threshold_that_every_probability_exceeds_leaves_one_step():
    network = small_network(**ADAPTIVE | {"threshold": 1e-9})
    words, mask = torch.randint(2, 20, (3, 5)), torch.arange(5) < tensor([[5], [1], [3]])
    assert_close(network(words, mask), copied({"steps": 1}, network)(words, mask))


def run_halting(probabilities: list[float], threshold: float) -> tuple[list[float], list[bool]]:
    """Return the weights of one word's steps, and when it halts."""
    spent, running = torch.zeros(1, 1, dtype=torch.float64), torch.ones(1, 1, dtype=torch.bool)
    weights, halted = [], []
    for step, p in enumerate(probabilities, start=1):
        last = step == len(probabilities)
        p = torch.full_like(spent, p)
        weight, halts = halting_weights(p, spent, running, threshold=threshold, last=last)
        spent, running = spent + weight, running & ~halts
        weights.append(weight.item())
        halted.append(halts.item())
    return weights, halted


def test_weights_and_remainder_by_hand():
    """0.3 + 0.4 + 0.5 exceeds 0.9, so the third step gets the remainder of one, 0.3, and the fourth nothing."""
    weights, halted = run_halting([0.3, 0.4, 0.5, 0.6], threshold=0.9)
    assert weights == pytest.approx([0.3, 0.4, 0.3, 0.0])
    assert halted == [False, False, True, False]


def test_a_word_that_never_reaches_the_threshold_halts_in_the_last_step():
    weights, halted = run_halting([0.1, 0.2, 0.1], threshold=0.99)
    assert weights == pytest.approx([0.1, 0.2, 0.7])
    assert halted == [False, False, True]


def test_weights_of_every_word_sum_to_one():
    torch.manual_seed(1)
    for threshold in (0.5, 0.9, 0.99):
        for probabilities in torch.rand(50, 5).tolist():
            weights, halted = run_halting(probabilities, threshold)
            assert sum(weights) == pytest.approx(1)
            assert sum(halted) == 1
            assert min(weights) >= 0


def test_ponder_cost_is_steps_and_remainder_of_the_mean_word():
    network = small_network(**ADAPTIVE | {"ponder": 0.5, "dropout": 0.0}).train()
    words, lengths = torch.randint(2, 20, (2, 5)), (5, 2)
    network(words, torch.arange(5) < tensor(lengths).unsqueeze(1))
    costs = [slow_text(network, words[text, :length])[1] for text, length in enumerate(lengths)]
    expected = 0.5 * (5 * costs[0] + 2 * costs[1]) / 7
    loss = network.auxiliary_loss(tensor([0, 1]))
    assert loss.item() == pytest.approx(expected, rel=1e-5)
    loss.backward()
    assert network.halting.bias.grad.item() < 0  # the remainder shrinks when earlier steps weigh more


def test_fixed_halting_has_no_ponder_cost():
    network = small_network().train()
    network(tensor([[3, 4]]), tensor([[True, True]]))
    assert network.auxiliary_loss(tensor([0])).item() == 0
    assert network.halting is None


def test_halting_begins_with_a_bias_of_one():
    network = UniversalTransformer(WordEmbedding(torch.zeros(5, 4), tuned=5), 2, size=SIZE, halting="adaptive")
    assert network.halting.bias.item() == 1
