"""CSPAN, eq. 1-15."""

import math
from itertools import product

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.layers.self_attention import RelativeSelfAttention
from retable.models.avg_embedding import AvgEmbedding
from retable.models.bilstm import BiLSTM
from retable.models.cspan import CSPAN
from tests.models.test_every_model import with_random_weights
from tests.models.test_lstm import slow_states

SIZE = 4
FUSIONS = ("cascade", "parallel", "embeddings", "positions", "relative")
WITHOUT_ATTENTION = {"first_attention": False, "second_attention": False, "residual": False}


def small_network(**options) -> CSPAN:
    """Return a CSPAN in float64 with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(7)
    embedding = WordEmbedding(torch.randn(20, SIZE), tuned=20)
    return with_random_weights(CSPAN(embedding, 3, **({"queries": 3, "distance": 2} | options)).double(), std=0.7)


def softmax(scores: list[float]) -> list[float]:
    return [math.exp(score) / sum(map(math.exp, scores)) for score in scores]


def normalised(norm: nn.LayerNorm, x: Tensor) -> Tensor:
    """Apply layer normalisation to one vector, component by component."""
    mean = sum(x.tolist()) / len(x)
    variance = sum((value - mean) ** 2 for value in x.tolist()) / len(x)
    scaled = tensor([(value - mean) / math.sqrt(variance + 1e-5) for value in x.tolist()], dtype=x.dtype)
    return scaled * norm.weight + norm.bias


def attention(module: nn.Module, x: list[Tensor]) -> list[Tensor]:
    """Compute eq. 4 and 8; with relative positions Shaw's eq. 3-4."""
    found = []
    for i, x_i in enumerate(x):
        keys, values = x, x
        if isinstance(module, RelativeSelfAttention):
            k = module.distance
            place = [min(max(j - i, -k), k) + k for j in range(len(x))]
            keys = [x_j + module.keys[p] for x_j, p in zip(x, place, strict=True)]
            values = [x_j + module.values[p] for x_j, p in zip(x, place, strict=True)]
        weights = softmax([(x_i @ key).item() / math.sqrt(len(x_i)) for key in keys])
        mixed = sum(weight * value for weight, value in zip(weights, values, strict=True))
        found.append(normalised(module.norm, mixed))
    return found


def slow_cspan(network: CSPAN, words: Tensor) -> Tensor:
    """Return the logits of one unpadded text, (C,), word by word and query by query from the paper's equations."""
    d = list(network.embedding(words.unsqueeze(0))[0])
    if network.fusion == "positions":
        for t, vector in enumerate(d):
            p = [math.sin(t / 10000 ** (2 * (c // 2) / SIZE) + (c % 2) * math.pi / 2) for c in range(SIZE)]  # eq. 1-2
            d[t] = vector + tensor(p, dtype=torch.float64).float()  # kept in float32 by the fast form
    s = attention(network.semantic, d) if network.semantic else d
    f = s
    if network.bilstm is not None:
        h = d if network.fusion == "parallel" else s
        for layer in range(network.bilstm.num_layers):
            ahead = slow_states(network.bilstm, h, f"l{layer}")  # eq. 5
            back = slow_states(network.bilstm, h[::-1], f"l{layer}_reverse")[::-1]  # eq. 6
            h = [torch.cat(pair) for pair in zip(ahead, back, strict=True)]  # eq. 7
        p = attention(network.positional, h) if network.positional else h
        f = [s_t + p_t for s_t, p_t in zip(s, p, strict=True)] if network.residual else p  # eq. 9
    if network.pool == "mean":
        text = sum(f) / len(f)
    elif network.pool == "max":
        text = torch.stack(f).amax(dim=0)
    else:
        block = network.multi_query
        u = [torch.tanh(f_t @ block.hidden.weight.T + block.hidden.bias) for f_t in f]  # eq. 10
        facets = []
        for query in block.queries.weight:
            alpha = softmax([(u_t @ query).item() for u_t in u])  # eq. 11
            facets.append(sum(weight * f_t for weight, f_t in zip(alpha, f, strict=True)))  # eq. 12
        text = torch.cat(facets) @ block.fusion.weight.T  # eq. 13
    return network.output.weight @ text + network.output.bias  # eq. 15


def check_against_the_slow_form(network: CSPAN) -> None:
    words, lengths = torch.randint(2, 20, (4, 7)), tensor([7, 1, 2, 5])
    logits = network(words, torch.arange(7) < lengths.unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_cspan(network, words[text, :length]))


@pytest.mark.parametrize(("fusion", "pool"), product(FUSIONS, ["queries", "mean", "max"]))
def test_fast_form_matches_the_equations_word_by_word(fusion, pool):
    check_against_the_slow_form(small_network(fusion=fusion, pool=pool))


@pytest.mark.parametrize("layers", [2, 3])
def test_several_layers_of_the_bilstm_match_too(layers):
    check_against_the_slow_form(small_network(layers=layers))


@pytest.mark.parametrize(("first", "second", "residual"), product([True, False], repeat=3))
def test_every_step_of_the_ablation_matches_too(first, second, residual):
    check_against_the_slow_form(small_network(first_attention=first, second_attention=second, residual=residual))


@pytest.mark.parametrize("pool", ["mean", "max"])
def test_with_everything_off_it_is_the_bilstm(pool):
    network = small_network(pool=pool, **WITHOUT_ATTENTION)
    plain = BiLSTM(WordEmbedding(torch.zeros(20, SIZE), tuned=20), 3, hidden=SIZE, pool=pool).double().eval()
    names = {"bilstm": "lstm"}
    plain.load_state_dict(
        {
            ".".join(names.get(part, part) for part in name.split(".")): value
            for name, value in network.state_dict().items()
        }
    )
    words, mask = torch.randint(2, 20, (3, 6)), torch.arange(6) < tensor([[6], [1], [4]])
    assert_close(network(words, mask), plain(words, mask))


def test_embeddings_alone_without_attention_are_averaged():
    network = small_network(fusion="embeddings", pool="mean", first_attention=False)
    plain = AvgEmbedding(WordEmbedding(torch.zeros(20, SIZE), tuned=20), 3).double().eval()
    plain.load_state_dict(network.state_dict())
    words, mask = torch.randint(2, 20, (3, 6)), torch.arange(6) < tensor([[6], [1], [4]])
    assert_close(network(words, mask), plain(words, mask))


def test_without_the_first_attention_cascade_and_parallel_are_one():
    words, mask = torch.randint(2, 20, (3, 6)), torch.ones(3, 6, dtype=torch.bool)
    cascade, parallel = (small_network(fusion=fusion, first_attention=False) for fusion in ("cascade", "parallel"))
    assert_close(cascade(words, mask), parallel(words, mask))
    cascade, parallel = (small_network(fusion=fusion) for fusion in ("cascade", "parallel"))
    assert not torch.allclose(cascade(words, mask), parallel(words, mask))


@pytest.mark.parametrize("fusion", FUSIONS)
def test_only_embeddings_are_blind_to_the_order_of_the_words(fusion):
    network, mask = small_network(fusion=fusion), torch.ones(1, 5, dtype=torch.bool)
    forwards = network(tensor([[3, 4, 5, 6, 7]]), mask)
    backwards = network(tensor([[7, 6, 5, 4, 3]]), mask)
    assert torch.allclose(forwards, backwards) == (fusion == "embeddings")


@pytest.mark.parametrize("queries", [1, 3])
def test_of_one_word_every_query_sees_the_same(queries):
    network = small_network(fusion="embeddings", queries=queries)
    word = nn.functional.layer_norm(network.embedding(tensor([7])), (SIZE,))[0]
    word = word * network.semantic.norm.weight + network.semantic.norm.bias
    text = network.multi_query.fusion.weight @ word.repeat(queries)
    expected = network.output.weight @ text + network.output.bias
    assert_close(network(tensor([[7]]), tensor([[True]]))[0], expected)


def test_words_of_an_odd_size_are_refused():
    with pytest.raises(ValueError, match="size is 5 in the word vectors; allowed: even numbers"):
        CSPAN(WordEmbedding(torch.zeros(3, 5), tuned=0), 2)
