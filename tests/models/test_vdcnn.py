"""VDCNN, Conneau, Schwenk, Barrault and Lecun 2017."""

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.layers.maps import TextNorm, k_largest
from retable.models.vdcnn import BLOCKS, VDCNN, Block
from tests.models.declared import CLASSES, DIM, Case, Declared, with_random_weights

SMALL = {"maps": 4, "character_size": 5, "k": 2, "hidden": 6, "frames": 64}
POOLINGS = ("max", "k-max", "convolution")


def of_level(level: int, blocks: int, maps: int, shortcut: bool) -> tuple[int, int]:
    """Return the number of weights of a level's convolutions, and of its norms."""
    size, before = maps * 2**level, maps * 2 ** max(level - 1, 0)
    projection = size * before if shortcut and level else 0
    return 3 * (before * size + (2 * blocks - 1) * size**2) + projection, 2 * blocks * 2 * size


def dense(maps: int, k: int, hidden: int) -> int:
    """Return the number of weights of the three fully-connected layers."""
    return 8 * maps * k * hidden + hidden**2 + hidden * CLASSES


def parameters(blocks: tuple[int, ...], shortcut: bool = False) -> int:
    """Count table and first convolution with biases, four levels, three layers with biases."""
    levels = sum(sum(of_level(level, count, 4, shortcut)) for level, count in enumerate(blocks))
    return DIM * 5 + 5 + 3 * 5 * 4 + 4 + levels + dense(4, 2, 6) + 6 + 6 + CLASSES


def multiply_adds(t: int, *, depth: int, maps: int, character_size: int, k: int, hidden: int, frames: int, **options):
    """Count those for at most `frames` characters; each level has half the places of the level before."""
    places = min(t, frames)
    of_text = places * (DIM * character_size + 3 * character_size * maps)
    for level, blocks in enumerate(BLOCKS[depth]):
        of_text += places / 2**level * of_level(level, blocks, maps, options.get("shortcut", False))[0]
    return of_text + dense(maps, k, hidden)


EVERY_MODEL = Declared(
    cases=[
        Case("vdcnn", parameters((1, 1, 1, 1)), {"depth": 9, **SMALL}),
        Case("vdcnn", parameters((1, 1, 1, 1), True), {"depth": 9, **SMALL, "pooling": "k-max", "shortcut": True}),
        Case(
            "vdcnn", parameters((2, 2, 2, 2), True), {"depth": 17, **SMALL, "pooling": "convolution", "shortcut": True}
        ),
    ],
    dropped=lambda **_: [],
    multiply_adds=multiply_adds,
    refused=[
        ({"depth": 10}, "depth is 10; allowed: 9, 17, 29, 49"),
        ({"pooling": "mean"}, 'pooling is "mean"; allowed: max, k-max, convolution'),
        ({"frames": 0}, "frames is 0; allowed: frames >= 1"),
        ({"character_size": 0}, "character_size is 0; allowed: character_size >= 1"),
        ({"maps": 0}, "maps is 0; allowed: maps >= 1"),
        ({"k": 0}, "k is 0; allowed: k >= 1"),
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
    ],
)


def small_network(**options) -> VDCNN:
    """Return the network in float64, with large enough weights, biases and running statistics, in evaluation mode."""
    torch.manual_seed(4)
    rows = torch.eye(9)[:, 2:]  # padding and the unknown character are zero, seven characters one-hot
    options = {"depth": 9, "maps": 2, "character_size": 3, "k": 3, "hidden": 9, "frames": 40} | options
    network = with_random_weights(VDCNN(WordEmbedding(rows, tuned=0), 2, **options), std=0.5).double()
    for name, buffer in network.named_buffers():
        if name.endswith(("running_mean", "running_var")):
            nn.init.uniform_(buffer, 0.3, 1.5)
    return network


def slow_convolution(convolution: nn.Conv1d, x: list[Tensor], stride: int = 1) -> list[Tensor]:
    """Convolve at equal width: outside the text is zero; every second place with stride 2."""
    width = convolution.kernel_size[0]
    nothing = torch.zeros_like(x[0])
    padded = [nothing] * (width // 2) + x + [nothing] * (width // 2)
    answers = [sum(convolution.weight[:, :, c] @ padded[n + c] for c in range(width)) for n in range(0, len(x), stride)]
    return answers if convolution.bias is None else [answer + convolution.bias for answer in answers]


def slow_norm(norm: TextNorm, x: list[Tensor]) -> list[Tensor]:
    """Normalise by the running statistics."""
    spread = (norm.running_var + 1e-5).sqrt()
    return [(vector - norm.running_mean) / spread * norm.weight + norm.bias for vector in x]


def slow_block(block: Block, x: list[Tensor], stride: int) -> list[Tensor]:
    """Compute figure 2; with a shortcut He et al., eq. 1 and 2."""
    y = [vector.relu() for vector in slow_norm(block.first_norm, slow_convolution(block.first, x, stride))]
    y = slow_norm(block.second_norm, slow_convolution(block.second, y))
    if isinstance(block.shortcut, nn.Conv1d):
        beside = [block.shortcut.weight[:, :, 0] @ vector for vector in x[::stride]]
    else:
        beside = x if block.shortcut is not None else [torch.zeros_like(vector) for vector in y]
    return [(one + other).relu() for one, other in zip(y, beside, strict=True)]


def slow_k_max(x: list[Tensor], k: int) -> list[Tensor]:
    """Return the k largest of each map in their order; among equals, the first."""
    maps = torch.stack(x, dim=1).tolist()
    kept = [sorted(sorted(range(len(x)), key=lambda n, map=map: (-map[n], n))[:k]) for map in maps]
    chosen = [[map[n] for n in places] for map, places in zip(maps, kept, strict=True)]
    return list(tensor(chosen, dtype=torch.float64).T)


def slow_logits(network: VDCNN, words: Tensor) -> Tensor:
    """Return the logits of one unpadded text, place by place."""
    x = [network.lookup.bias + network.lookup.weight @ row for row in network.embedding(words.unsqueeze(0))[0]]
    x = slow_convolution(network.first, x[: network.frames])
    for level, blocks in enumerate(network.levels):
        half = (len(x) + 1) // 2
        if level and network.pooling == "max":
            x = [torch.stack(x[max(n - 1, 0) : n + 2]).amax(dim=0) for n in range(0, len(x), 2)]
        elif level and network.pooling == "k-max":
            x = slow_k_max(x, half)
        for number, block in enumerate(blocks):
            x = slow_block(block, x, 2 if level and not number and network.pooling == "convolution" else 1)
        assert not level or len(x) == half
    x = slow_k_max(x, min(network.k, len(x)))
    text = torch.stack([*x, *[torch.zeros_like(x[0])] * (network.k - len(x))], dim=1).flatten()
    for layer in network.hidden:
        text = (layer.weight @ text + layer.bias).relu()
    return network.output.weight @ text + network.output.bias


@pytest.mark.parametrize(
    ("depth", "pooling", "shortcut"),
    [*((9, pooling, shortcut) for pooling in POOLINGS for shortcut in (False, True)), (17, "max", True)],
)
def test_fast_form_matches_the_slow_loops(depth, pooling, shortcut):
    """Check texts of many lengths in one batch, with arbitrary words in the padding; of 45 characters 40 are read.

    It fails without each of the masks: of the table, of the first convolution, of a norm, of max and k-max pooling.
    """
    network = small_network(depth=depth, pooling=pooling, shortcut=shortcut)
    lengths = (45, 1, 2, 3, 4, 7, 8, 9, 17, 33)
    words = torch.randint(1, 9, (len(lengths), 45))
    logits = network(words, torch.arange(45) < tensor(lengths).unsqueeze(1))
    assert logits.std(dim=0).min() > 0.1  # the texts differ: not everything ends at ReLU
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, words[text, :length]), msg=f"{length} characters")


@pytest.mark.parametrize("depth", BLOCKS)
def test_depth_counts_the_convolutions_of_table_2(depth):
    """Those of one level read 64, 128, 256 and 512 maps: 16, 16, 10 and 6 of 49."""
    network = VDCNN(WordEmbedding(torch.zeros(3, 3), tuned=0), 2, depth=depth, maps=1, hidden=1)
    counts = [sum(isinstance(each, nn.Conv1d) for each in level.modules()) for level in network.levels]
    assert 1 + sum(counts) == depth
    table = {9: [2, 2, 2, 2], 17: [4, 4, 4, 4], 29: [10, 10, 4, 4], 49: [16, 16, 10, 6]}
    assert counts == table[depth]


def test_layers_have_the_sizes_of_figure_1():
    network = VDCNN(WordEmbedding(torch.zeros(69, 67), tuned=0), 4, depth=9)
    assert [tuple(layer.weight.shape) for layer in (network.lookup, network.first)] == [(16, 67), (64, 16, 3)]
    assert [level[0].second.out_channels for level in network.levels] == [64, 128, 256, 512]
    layers = [(layer.in_features, layer.out_features) for layer in (*network.hidden, network.output)]
    assert layers == [(4096, 2048), (2048, 2048), (2048, 4)]
    assert float(network.levels[3][0].second.weight.detach().std()) == pytest.approx((2 / (3 * 512)) ** 0.5, rel=0.05)


def test_the_alphabet_is_the_papers():
    """69 tokens with padding and the unknown character."""
    assert len(VDCNN.alphabet) == len(set(VDCNN.alphabet)) == 69 - 2
    assert VDCNN.alphabet == VDCNN.alphabet.lower()
    assert " " in VDCNN.alphabet


def test_k_largest_by_hand():
    """In their order; among equals the first; zeros if a text has fewer; padding never counts."""
    x = tensor([[[3.0, 1.0, 2.0, 9.0], [0.0, 0.0, 5.0, 9.0]], [[4.0, 9.0, 9.0, 9.0], [0.0, 9.0, 9.0, 9.0]]])
    real = torch.arange(4) < tensor([[3], [1]])
    found = k_largest(x, real, tensor([2, 1]), 2)
    assert found.tolist() == [[[3.0, 2.0], [0.0, 5.0]], [[4.0, 0.0], [0.0, 0.0]]]
    assert k_largest(x, real, tensor([3, 1]), 6)[0].tolist() == [[3.0, 1.0, 2.0, 0, 0, 0], [0.0, 0.0, 5.0, 0, 0, 0]]


def test_norm_in_training_is_of_the_places_of_texts_alone():
    """Places 1, 3 and 8, 4 of two texts: mean 4, variance 6.5; padding is not a place, and stays zero."""
    norm, x = TextNorm(1).double(), tensor([[[1.0, 3.0, 50.0, -7.0]], [[8.0, 4.0, 2e9, 0.0]]], dtype=torch.float64)
    real = (torch.arange(4) < 2).expand(2, 4)
    found = norm(x, real)
    expected = tensor([[[-3.0, -1.0, 0.0, 0.0]], [[4.0, 0.0, 0.0, 0.0]]], dtype=torch.float64) / (6.5 + 1e-5) ** 0.5
    assert_close(found, expected)
    assert norm.running_mean.item() == pytest.approx(0.1 * 4)
    assert norm.running_var.item() == pytest.approx(0.9 + 0.1 * 6.5 * 4 / 3)  # the sample variance


def test_a_single_place_is_normalised_by_the_running_statistics():
    norm, real = TextNorm(1), torch.ones(1, 1, dtype=torch.bool)
    norm.running_mean.fill_(2.0)
    norm.running_var.fill_(4.0)
    assert norm(tensor([[[5.0]]]), real).item() == pytest.approx(1.5, rel=1e-4)
    assert (norm.running_mean.item(), norm.running_var.item()) == (2.0, 4.0)
    loss = small_network().train()(tensor([[3]]), real).sum()  # a last batch of one text of one character
    loss.backward()
    assert torch.isfinite(loss)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_padding_changes_nothing_in_training_either(pooling):
    """The same texts in wider batches give the same logits and running statistics."""
    network, lengths = small_network(pooling=pooling, shortcut=True).train(), tensor([[9], [1], [6], [5]])
    before, words = {name: value.clone() for name, value in network.state_dict().items()}, torch.randint(1, 9, (4, 30))
    seen = []
    for width in (9, 10, 30):
        network.load_state_dict(before)
        logits = network(words[:, :width], torch.arange(width) < lengths)
        seen.append(
            {"logits": logits.detach(), **{name: value.clone() for name, value in network.state_dict().items()}}
        )
    for other in seen[1:]:
        for name, value in other.items():
            assert_close(value, seen[0][name], msg=name)


def test_block_by_hand():
    """Weights 1, norms of mean 1 and variance 1: 1, 5, 2 give 6, 8, 7, less 1: 5, 7, 6; 12, 18, 13, less 1."""
    x, real = tensor([[[1.0, 5.0, 2.0]]]), torch.ones(1, 3, dtype=torch.bool)
    for stride, shortcut, expected in [(1, False, [11.0, 17.0, 12.0]), (1, True, [12.0, 22.0, 14.0])]:
        block = Block(1, 1, stride=stride, shortcut=shortcut).eval()
        for part in (block.first_norm, block.second_norm):
            part.running_mean.fill_(1.0)
        with torch.no_grad():
            block.first.weight.fill_(1.0)
            block.second.weight.fill_(1.0)
        assert_close(block(x, real), tensor([[expected]]), rtol=1e-4, atol=0)


def test_the_unknown_character_has_the_tables_bias_as_its_vector():
    network, unknown, mask = small_network(shortcut=True), torch.ones(1, 9, dtype=torch.int64), torch.arange(9) < 9
    before = network(unknown, mask.unsqueeze(0))
    nn.init.normal_(network.lookup.weight)
    assert network(unknown, mask.unsqueeze(0)).equal(before)
    nn.init.normal_(network.lookup.bias)
    assert not torch.allclose(network(unknown, mask.unsqueeze(0)), before)
