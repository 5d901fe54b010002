"""Encoder1-Encoder2, Niu et al. 2019, with the disconnected RNN of Wang 2018."""

import math

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.encoder_extractor import WIDTHS, EncoderExtractor
from tests.models.declared import CLASSES, DIM, Case, Declared, gates, texts, with_random_weights, words

SMALL = {"window": 4, "hidden": 5, "filters": 8, "mlp_hidden": 16}
VARIANTS = [
    (encoder, extractor, interaction)
    for encoder in ("gru", "cnn", "attention")
    for extractor in ("cnn", "drnn")
    for interaction in ("same", "attention")
]


def options(encoder="gru", extractor="cnn", interaction="same", **others):
    """Return a small network's options."""
    return SMALL | {"encoder": encoder, "extractor": extractor, "interaction": interaction} | others


def parameters(*, encoder, extractor, interaction, window, hidden, filters, mlp_hidden):
    """Count Encoder1; W_q and W_k; the MLP of g; Encoder2 on D and on g (a GRU shares weights for both); classifier."""
    gru = 3 * hidden * (DIM + hidden) + 2 * 3 * hidden  # torch has two biases per gate
    size = 3 * filters if encoder == "cnn" else hidden
    first = sum(WIDTHS) * DIM * filters + 3 * filters if encoder == "cnn" else gru + hidden * (encoder == "attention")
    between = size * DIM + DIM + (DIM**2 + size * DIM if interaction == "attention" else 0)
    second = (window + 1) * DIM * filters + filters if extractor == "cnn" else gru + hidden**2
    of_text = filters if extractor == "cnn" else hidden
    if not mlp_hidden:
        return first + between + second + of_text * CLASSES + CLASSES
    return first + between + second + of_text * mlp_hidden + mlp_hidden + mlp_hidden * CLASSES + CLASSES


def dropped(*, extractor, hidden, filters, mlp_hidden, **_):
    """Return the shapes of word vectors, the DRNN's last states, the classifier's hidden layer or the text vector."""
    if extractor == "cnn":
        return [words(DIM), texts(mlp_hidden or filters)]
    return [words(DIM), words(hidden), texts(mlp_hidden or hidden)]


def multiply_adds(t, *, encoder, extractor, interaction, window, hidden, filters, mlp_hidden):
    """Count each part as the paper would compute it, but a word's share of the gates only once."""
    size = 3 * filters if encoder == "cnn" else hidden
    first = sum(WIDTHS) * DIM * filters if encoder == "cnn" else gates(3, DIM, hidden)
    first += 2 * hidden * (encoder == "attention")  # score and weighing
    vectors = 1 if interaction == "same" else t
    between = vectors * size * DIM
    if interaction == "attention":
        between += t * (DIM * DIM + size * DIM + t * DIM + t * size)  # queries, keys, scores, sums
    if extractor == "cnn":
        second, of_text = (t * window + vectors) * DIM * filters, filters
    else:
        second, of_text = (t + vectors) * 3 * DIM * hidden + t * (window * 3 * hidden**2 + hidden**2), hidden
    classifier = of_text * mlp_hidden + mlp_hidden * CLASSES if mlp_hidden else of_text * CLASSES
    return t * first + between + second + classifier


def case(*variant, **others):
    """Return the case of a small network."""
    chosen = options(*variant, **others)
    return Case("encoder-extractor", parameters(**chosen), chosen)


EVERY_MODEL = Declared(
    cases=[
        case("gru", "cnn", "same"),
        case("gru", "cnn", "attention", window=15),
        case("gru", "drnn", "same", mlp_hidden=0),
        case("gru", "drnn", "attention"),
        case("cnn", "drnn", "same", window=1),
        case("cnn", "cnn", "attention", mlp_hidden=0),
        case("attention", "cnn", "same"),
        case("attention", "drnn", "attention"),
    ],
    dropped=dropped,
    multiply_adds=multiply_adds,
    refused=[
        ({"encoder": "bigru"}, 'encoder is "bigru"; allowed: gru, cnn, attention'),
        ({"extractor": "rnn"}, 'extractor is "rnn"; allowed: cnn, drnn'),
        ({"interaction": "attend"}, 'interaction is "attend"; allowed: same, attention'),
        ({"window": 0}, "window is 0; allowed: window >= 1"),
        ({"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ({"filters": 0}, "filters is 0; allowed: filters >= 1"),
        ({"mlp_hidden": -1}, "mlp_hidden is -1; allowed: mlp_hidden >= 0"),
        ({"dropout_words": 1.0}, "dropout_words is 1.0; allowed: 0 <= dropout_words < 1"),
        ({"dropout_states": -0.1}, "dropout_states is -0.1; allowed: 0 <= dropout_states < 1"),
        ({"dropout": 2}, "dropout is 2; allowed: 0 <= dropout < 1"),
    ],
)


def small_network(*variant, **others) -> EncoderExtractor:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(7)
    embedding = WordEmbedding(torch.randn(20, 6), tuned=20)
    return with_random_weights(EncoderExtractor(embedding, 3, **options(*variant, **others)).double(), std=0.7)


def slow_gru(weights: tuple[Tensor, ...], inputs: list[Tensor]) -> list[Tensor]:
    """Return the states of torch's GRU from zero, gate by gate."""
    w_x, b_x, w_h, b_h = weights
    h, states = torch.zeros(w_h.shape[1], dtype=torch.float64), []
    for x in inputs:
        (x_r, x_z, x_n), (h_r, h_z, h_n) = (w_x @ x + b_x).chunk(3), (w_h @ h + b_h).chunk(3)
        r, z = torch.sigmoid(x_r + h_r), torch.sigmoid(x_z + h_z)
        h = (1 - z) * torch.tanh(x_n + r * h_n) + z * h
        states.append(h)
    return states


def softmax(scores: list[float]) -> list[float]:
    """Return the attention weights of some scores."""
    total = sum(math.exp(score) for score in scores)
    return [math.exp(score) / total for score in scores]


def slow_encoder(encoder: nn.Module, x: list[Tensor], kind: str) -> list[Tensor]:
    """Return the states h of Encoder1, word by word."""
    if kind == "cnn":
        nothing = [torch.zeros_like(x[0])] * 3
        padded = nothing + x + nothing
        return [
            torch.cat(
                [
                    sum(layer.weight[:, :, i] @ padded[t + 3 - width // 2 + i] for i in range(width)) + layer.bias
                    for width, layer in zip(WIDTHS, encoder.convolutions, strict=True)
                ]
            ).relu()
            for t in range(len(x))
        ]
    gru = encoder.gru
    states = slow_gru((gru.weight_ih_l0, gru.bias_ih_l0, gru.weight_hh_l0, gru.bias_hh_l0), x)
    if kind == "gru":
        return states
    weights = softmax([(encoder.query.weight[0] @ state.tanh()).item() for state in states])
    return [weight * state for weight, state in zip(weights, states, strict=True)]


def slow_global(network: EncoderExtractor, x: list[Tensor], windows: list[list[Tensor]], kind: str) -> list[Tensor]:
    """Return the vector g_t of every window."""
    part = network.interaction
    h = slow_encoder(part.encoder, x, kind)
    if not hasattr(part, "query"):
        pooled = sum(h) if kind == "attention" else torch.stack(h).amax(dim=0)
        return [(part.mlp.weight @ pooled + part.mlp.bias).relu()] * len(x)
    vectors = []
    for window in windows:
        query = (part.query.weight @ (sum(window) / len(window))).tanh()
        weights = softmax([(query @ (part.key.weight @ state).tanh()).item() for state in h])
        mixed = sum(weight * state for weight, state in zip(weights, h, strict=True))
        vectors.append((part.mlp.weight @ mixed + part.mlp.bias).relu())
    return vectors


@torch.no_grad()
def slow_logits(network: EncoderExtractor, text: Tensor, kind: str) -> Tensor:
    """Return the logits of one unpadded text, window by window from the equations."""
    x, k, part = list(network.embedding(text.unsqueeze(0))[0]), network.window, network.extractor
    padded = [torch.zeros_like(x[0])] * (k - 1) + x
    windows = [padded[t : t + k] for t in range(len(x))]
    local = []
    for window, g in zip(windows, slow_global(network, x, windows, kind), strict=True):
        if hasattr(part, "convolution"):
            seen = sum(part.convolution.weight[:, :, i] @ word for i, word in enumerate(window))
            local.append((seen + part.of_global.weight @ g + part.convolution.bias).relu())
        else:
            weights = part.inputs.weight, part.inputs.bias, part.states.weight, part.states.bias
            local.append(part.last.weight @ slow_gru(weights, [g, *window])[-1])
    return network.classifier(torch.stack(local).amax(dim=0))


@pytest.mark.parametrize("variant", VARIANTS, ids="-".join)
def test_fast_form_matches_the_equations_window_by_window(variant):
    """Check padded texts, two of them shorter than a window, and a column of only padding."""
    network = small_network(*variant)
    words, lengths = torch.randint(2, 20, (4, 8)), (7, 1, 2, 5)
    logits = network(words, torch.arange(8) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, words[text, :length], variant[0]))


@pytest.mark.parametrize("interaction", ["same", "attention"])
def test_drnn_is_the_last_state_of_torchs_gru_over_each_window_after_its_global_vector(interaction):
    network = small_network("gru", "drnn", interaction)
    part, gru = network.extractor, nn.GRU(6, 5, batch_first=True).double()
    gru.load_state_dict(
        {
            "weight_ih_l0": part.inputs.weight,
            "weight_hh_l0": part.states.weight,
            "bias_ih_l0": part.inputs.bias,
            "bias_hh_l0": part.states.bias,
        }
    )
    before = torch.randn(1, 3 + 7, 6, dtype=torch.float64)
    g = torch.randn(1, 1 if interaction == "same" else 7, 6, dtype=torch.float64)
    windows = torch.cat((g.expand(1, 7, 6)[0].unsqueeze(1), before[0].unfold(0, 4, 1).transpose(1, 2)), dim=1)
    assert_close(part(before, g)[0], part.last(gru(windows)[1][0]))


def test_a_window_as_long_as_the_text_ends_in_a_plain_gru():
    """Limiting case: the last window of a DRNN is g and then all words, without a zero in between."""
    part = small_network("gru", "drnn", "same", window=5).extractor
    words, g = torch.randn(1, 5, 6, dtype=torch.float64), torch.randn(1, 1, 6, dtype=torch.float64)
    weights = part.inputs.weight, part.inputs.bias, part.states.weight, part.states.bias
    local = part(torch.cat((torch.zeros_like(words[:, :4]), words), dim=1), g)
    assert_close(local[0, -1], part.last.weight @ slow_gru(weights, [g[0, 0], *words[0]])[-1])


@pytest.mark.parametrize("extractor", ["cnn", "drnn"])
def test_a_word_further_back_than_the_window_changes_no_local_feature(extractor):
    """Position-invariance: with g fixed, l_t sees only word t and the k - 1 before it."""
    part = small_network("gru", extractor, "same").extractor
    before, g = torch.randn(1, 3 + 8, 6, dtype=torch.float64), torch.randn(1, 1, 6, dtype=torch.float64)
    other = before.clone()
    other[0, 3 + 2] += 1  # the third word
    changed = (part(before, g) != part(other, g)).any(dim=2)[0]
    assert changed.tolist() == [False, False, True, True, True, True, False, False]


def test_filters_by_hand():
    """Words 1, 2, 4 under a window of two, filter (3, 1), g = 0.5 times 2, bias -6: 1 - 5, 3 + 2 - 5, 6 + 4 - 5."""
    network = EncoderExtractor(WordEmbedding(torch.zeros(2, 1), tuned=0), 2, window=2, filters=1, hidden=1)
    part = network.extractor
    with torch.no_grad():
        part.convolution.weight.copy_(tensor([[[3.0, 1.0]]]))
        part.convolution.bias.fill_(-6.0)
        part.of_global.weight.fill_(2.0)
    local = part(tensor([[[0.0], [1.0], [2.0], [4.0]]]), tensor([[[0.5]]]))
    assert local.flatten().tolist() == [0.0, 0.0, 5.0]


def test_attention_by_hand(monkeypatch):
    """Window means 1, 2, W_q = ln 3, states 1 and 3: scores tanh(ln 3 c_t) tanh(h_i), doubled in the MLP."""
    network = small_network("gru", "cnn", "attention", hidden=1, window=1)
    part = network.interaction
    part.query, part.key, part.mlp = (nn.Linear(1, 1, bias=False) for _ in range(3))
    with torch.no_grad():
        for layer, weight in ((part.query, math.log(3)), (part.key, 1.0), (part.mlp, 2.0)):
            layer.weight.fill_(weight)
    monkeypatch.setattr(part.encoder, "forward", lambda *_: tensor([[[1.0], [3.0]]]))
    x = tensor([[[1.0], [2.0]]])
    found = part(x, x, tensor([[True, True]])).flatten().tolist()
    for mean, g in zip((1, 2), found, strict=True):
        query = (9**mean - 1) / (9**mean + 1)  # tanh(c ln 3)
        first, second = (math.exp(query * math.tanh(state)) for state in (1, 3))
        assert g == pytest.approx(2 * (first + 3 * second) / (first + second), rel=1e-6)


def test_equal_scores_give_every_window_the_mean_of_the_states():
    """Limiting case: without queries all windows of a text share one global vector."""
    network = small_network("gru", "cnn", "attention")
    nn.init.zeros_(network.interaction.query.weight)
    x = torch.randn(1, 5, 6, dtype=torch.float64)
    g = network.interaction(x, torch.cat((x[:, :3], x), dim=1), torch.ones(1, 5, dtype=torch.bool))
    states, _ = network.interaction.encoder.gru(x)
    assert_close(g, network.interaction.mlp(states.mean(dim=1, keepdim=True)).relu().expand_as(g))


@pytest.mark.parametrize("variant", VARIANTS, ids="-".join)
def test_one_word_is_enough_in_float32_and_float64(variant):
    """A batch of one text of one word, under a window that it does not fill."""
    words, mask = tensor([[5]]), tensor([[True]])
    network = small_network(*variant, window=15)
    assert_close(network.float()(words, mask).double(), network.double()(words, mask), rtol=1e-4, atol=1e-4)
