"""Properties that hold for every network."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from inspect import signature
from typing import get_type_hints

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import Tensor, tensor
from torch.testing import assert_close

from retable.errors import InputError
from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.models import MODELS, TRAINERS, network_class, trainer_of
from retable.text.pairs import BETWEEN, FIRST, SECOND
from retable.text.trees import WORD
from retable.training.loop import cross_entropy
from retable.training.parameters import options_of
from retable.training.precision import forward_pass, wide_products
from tests.models.declared import (
    CLASSES,
    DIM,
    OUTPUT,
    PARTS,
    TASK,
    TUNED,
    VOCABULARY,
    Case,
    gates,
    random_tree,
    texts,
    with_random_weights,
    words,
)

NO_ATTENTION = {"first_attention": False, "second_attention": False, "residual": False}  # of cspan: a BiLSTM
FCSR = 2 * (12 * DIM**2 + 4 * DIM) + 8 * DIM**2 + DIM + OUTPUT
FCSR_FP = 2 * FCSR  # two networks with a classifier each; they share the words
LSTM = 2 * (4 * 5 * (DIM + 5) + 2 * 4 * 5) + 10 * CLASSES + CLASSES  # torch has two biases per gate
SECOND_LSTM = 2 * (4 * 5 * (10 + 5) + 2 * 4 * 5)  # one layer on another
GRU = 2 * (3 * 5 * (DIM + 5) + 2 * 3 * 5)


def encoder(layers: int, size: int, projections: int = 4) -> int:
    """Count weights and biases: attention, feed-forward layer, two norms; the projection of the words, if any."""
    layer = projections * (size**2 + size) + 8 * size**2 + 5 * size + 4 * size
    return layers * layer + (DIM * size if size != DIM else 0) + size * CLASSES + CLASSES


def cspan(queries: int, *, layers: int = 1, attentions: int = 2, places: int = 0) -> int:
    """Count norms, BiLSTM of DIM / 2 a side, tanh layer with queries and fusion matrix, relative positions, output."""
    bilstm = layers * 2 * (2 * DIM * (DIM + DIM // 2) + 4 * DIM)
    last = DIM**2 + DIM + queries * (DIM + DIM**2) if queries else 0
    return attentions * 2 * DIM + bilstm + last + 2 * places * DIM + OUTPUT


def mlp(size: int, hidden: int = 7) -> int:
    """Count the classifier on a text vector, with or without a hidden layer."""
    if not hidden:
        return size * CLASSES + CLASSES
    return size * hidden + hidden + hidden * CLASSES + CLASSES


def low_rank(size: int, context: int, heads: int) -> int:
    """Count LAMA's attention: W_w and b_w, P and Q."""
    return size**2 + size + (context + size) * heads


def dpcnn(maps: int, blocks: int, region: int = 3) -> int:
    """Count weights and biases: the region embedding, two convolutions per block, the output."""
    return region * DIM * maps + maps + blocks * 2 * (3 * maps**2 + maps) + maps * CLASSES + CLASSES


CASES = [
    Case("att-blstm", 2 * (4 * 5 * (DIM + 5) + 2 * 4 * 5) + 5 + 5 * CLASSES + CLASSES, {"hidden": 5}),
    Case("avg-embedding", OUTPUT),
    Case("bigru", GRU + mlp(10), {"hidden": 10, "mlp_hidden": 7}),
    Case("bigru", GRU + mlp(10, 0), {"hidden": 10, "mlp_hidden": 0, "pool": "mean"}),
    Case("bilstm", LSTM, {"hidden": 10}),
    Case("bilstm", LSTM, {"hidden": 10, "pool": "mean"}),
    Case("bilstm", LSTM, {"hidden": 10, "pool": "last"}),
    Case("bilstm", LSTM + SECOND_LSTM, {"hidden": 10, "layers": 2}),
    Case("cspan", cspan(16)),
    Case("cspan", cspan(3, layers=2), {"queries": 3, "layers": 2, "fusion": "parallel"}),
    Case("cspan", cspan(1, layers=0, attentions=1), {"queries": 1, "fusion": "embeddings"}),
    Case("cspan", cspan(0, layers=0, attentions=1), {"pool": "max", "fusion": "positions"}),
    Case("cspan", cspan(2, layers=0, attentions=1, places=7), {"queries": 2, "fusion": "relative", "distance": 3}),
    Case("cspan", cspan(0, attentions=0), {"pool": "mean", **NO_ATTENTION}),
    Case("dpcnn", dpcnn(8, 1), {"maps": 8, "blocks": 1}),
    Case("dpcnn", dpcnn(8, 3), {"maps": 8, "blocks": 3}),
    Case("dpcnn", dpcnn(8, 1, 1), {"maps": 8, "blocks": 5, "shared": True, "region": 1}),
    Case("fasttext", OUTPUT, {"ngrams": 1}),
    Case("fasttext", 51 * DIM + OUTPUT, {"buckets": 50}),
    Case("fasttext", 51 * DIM + OUTPUT, {"buckets": 50, "ngrams": 3}),
    Case("fcsr", FCSR),
    Case("fcsr", FCSR, {"gate": "sigmoid", "alpha": 0.9}),
    Case("fcsr", FCSR, {"activation": "sigmoid"}),
    Case("fcsr", FCSR, {"activation": "as-gates"}),
    Case("fcsr", FCSR, {"window": 3, "alpha": 0.9, "spread": 0.1}),
    Case("fcsr-fp", FCSR_FP, {"spread": 0.1}),
    Case("fcsr-fp", FCSR_FP, {"gate": "sigmoid", "window": 2, "window_means": "distance", "separate": False}),
    Case("lama", GRU + low_rank(10, 10, 3) + 10 + mlp(30), {"heads": 3, "hidden": 10, "mlp_hidden": 7}),
    Case(
        "lama",
        GRU + low_rank(10, DIM, 3) + mlp(30),
        {"heads": 3, "hidden": 10, "mlp_hidden": 7, "context": "mean", "disagreement": "positions"},
    ),
    Case(
        "lama",
        GRU + low_rank(10, DIM, 2) + mlp(20, 0),
        {"heads": 2, "hidden": 10, "mlp_hidden": 0, "context": "mean", "disagreement": "embeddings"},
    ),
    Case("lama", low_rank(DIM, DIM, 1) + DIM + mlp(DIM), {"heads": 1, "mlp_hidden": 7, "encoder": "none"}),
    Case("lstm", 4 * 5 * (DIM + 5) + 2 * 4 * 5 + 5 * CLASSES + CLASSES, {"hidden": 5}),
    Case("lstm", 4 * 5 * (DIM + 15) + 4 * 4 * 5 + 5 * CLASSES + CLASSES, {"hidden": 5, "layers": 2, "pool": "mean"}),
    Case(
        "structured-self-attention",
        LSTM - mlp(10, 0) + 10 * 4 + 4 * 3 + mlp(30),
        {"hidden": 10, "attention_hidden": 4, "heads": 3, "mlp_hidden": 7},
    ),
    Case(
        "structured-self-attention",
        LSTM - mlp(10, 0) + 10 * 4 + 4 + mlp(10, 0),
        {"hidden": 10, "attention_hidden": 4, "heads": 1, "mlp_hidden": 0, "penalty": 0},
    ),
    Case("textcnn", 3 * 4 + 12 * 4 * DIM + 3 * 4 * CLASSES + CLASSES, {"filters": 4}),
    Case("textcnn", 2 + 2 * 2 * DIM + 2 * CLASSES + CLASSES, {"filters": 2, "widths": [2]}),
    Case("transformer", encoder(2, 8), {"layers": 2, "size": 8}),
    Case("transformer", encoder(1, DIM), {"layers": 1, "size": DIM, "heads": 2, "scale": False}),
    Case("transformer-f", encoder(2, 8, 2), {"layers": 2, "size": 8}),
    Case("transformer-f", encoder(1, DIM, 2), {"layers": 1, "size": DIM, "heads": 2, "normalise": False}),
    Case("transformer-f", encoder(2, 8), {"layers": 2, "size": 8, "on": "projections", "weigh": "before"}),
    Case("transformer-f", encoder(2, 8), {"layers": 2, "size": 8, "attention": "dot-product", "fusion": "last"}),
    Case("transformer-f", encoder(2, 8, 2), {"layers": 2, "size": 8, "weigh_parts": False}),
    Case("transformer-f", encoder(2, 8, 2), {"layers": 2, "size": 8, "rescale": False}),
    Case("universal-transformer", encoder(1, 8), {"steps": 3, "size": 8}),
    Case("universal-transformer", encoder(1, DIM), {"steps": 2, "size": DIM, "heads": 2, "scale": False}),
    Case("universal-transformer", encoder(1, 8) + 9, {"steps": 3, "size": 8, "halting": "adaptive"}),
    Case(
        "universal-transformer",
        encoder(1, DIM) + DIM + 1,
        {"steps": 2, "size": DIM, "halting": "adaptive", "combine": "sum", "threshold": 0.6},
    ),
]


def lstm_dropped(*, hidden: int, layers: int = 1, **_: object) -> list[tuple[int, ...]]:
    """Return the shapes of the word vectors, the states between two layers, the text vector."""
    return [words(DIM), *[words(hidden)] * (layers - 1), texts(hidden)]


def heads_dropped(*, heads: int, mlp_hidden: int, hidden: int = DIM, **_: object) -> list[tuple[int, ...]]:
    """Return the shape of the classifier's hidden layer or, without one, of the matrix of all heads."""
    return [texts(mlp_hidden or heads * hidden)]


def encoder_dropped(*, layers: int, size: int, **_: object) -> list[tuple[int, ...]]:
    """Return the shapes in Vaswani et al., 5.4: the sum of words and positions, and two sublayer outputs per layer."""
    return [words(size)] * (1 + 2 * layers)


DROPPED = {  # by model, from a case's options: the shapes that each dropout of a training pass acts on, in order
    "att-blstm": lambda hidden: [words(DIM), words(hidden), texts(hidden)],  # word vectors, H, h*
    "avg-embedding": lambda: [texts(DIM)],
    "bigru": lambda hidden, mlp_hidden, **_: [texts(mlp_hidden or hidden)],
    "bilstm": lstm_dropped,
    "cspan": lambda **_: [words(DIM), texts(DIM)],  # D, the text's vector
    "dpcnn": lambda maps, **_: [texts(maps)],
    "fasttext": lambda **_: [],
    "fcsr": lambda **_: [words(DIM), texts(DIM)],  # S, r
    "fcsr-fp": lambda **_: [words(DIM), texts(DIM), texts(DIM)],  # S, the C-net's direction, the purified r
    "lama": heads_dropped,
    "lstm": lstm_dropped,
    "structured-self-attention": heads_dropped,
    "textcnn": lambda filters, widths=(3, 4, 5): [texts(filters * len(widths))],
    "transformer": encoder_dropped,
    "transformer-f": encoder_dropped,
    "universal-transformer": lambda steps, size, **_: encoder_dropped(layers=steps, size=size),
}


def classified(size: int, hidden: int = 0) -> int:
    """Count the classifier on a text vector of this size."""
    return size * hidden + hidden * CLASSES if hidden else size * CLASSES


def of_bigru(t: int, *, hidden: int, mlp_hidden: int, **_: object) -> float:
    """Count LAMA, eq. 1-6: three gates per direction; section 3.5."""
    return t * 2 * gates(3, DIM, hidden // 2) + classified(hidden, mlp_hidden)


def of_lstm(t: int, *, hidden: int, layers: int = 1, directions: int = 1, **_: object) -> float:
    """Count four gates per direction; upper layers read all directions of the layer below."""
    first, later = (gates(4, inputs, hidden // directions) for inputs in (DIM, hidden))
    return t * directions * (first + (layers - 1) * later) + classified(hidden)


def of_cspan(
    t: int, *, layers=1, queries=16, fusion="cascade", pool="queries", distance=0, first_attention=True, **others
) -> float:
    """Count scores and weighted sums (eq. 4, 8) of t words per word, BiLSTM of d / 2 a side, m queries (eq. 10-13)."""
    has_order = fusion in {"cascade", "parallel"}
    attentions = first_attention + (has_order and others.get("second_attention", True))
    a_word = attentions * 2 * t * DIM + (layers * 2 * gates(4, DIM, DIM // 2) if has_order else 0)
    a_word += 2 * (2 * distance + 1) * DIM if fusion == "relative" else 0
    if pool != "queries":
        return t * a_word + classified(DIM)
    return t * (a_word + DIM**2 + 2 * queries * DIM) + queries * DIM * DIM + classified(DIM)


def of_dpcnn(t: int, *, maps: int, blocks: int, region: int = 3, **_: object) -> float:
    """Count the region embedding at every word; a block's two convolutions of width 3 at half the places each time."""
    places = sum(t / 2**block for block in range(blocks))
    return t * region * DIM * maps + places * 2 * 3 * maps**2 + classified(maps)


def of_fcsr(t: int, *, window: int = 0, **_: object) -> float:
    """Count eq. 2-3: one a side, with a window three; 2 x 4 gates of 3 n; Wq and Wk of 4 n, Gram matrix, Wf."""
    context = (6 if window else 2) * DIM
    return t * (context + 2 * 4 * 3 * DIM**2 + 2 * 4 * DIM**2 + DIM**2) + DIM**2 + classified(DIM)


def of_fcsr_fp(t: int, *, window: int = 0, **_: object) -> float:
    """Count two networks on the contexts of one; r_p . r_c, |r_c|^2 and the share of r_c; the P-net's classifier."""
    context = (6 if window else 2) * DIM
    return 2 * of_fcsr(t, window=window) - t * context - classified(DIM) + 3 * DIM


def of_lama(t: int, *, heads, mlp_hidden, hidden=DIM, context="learned", encoder="gru", **_: object) -> float:
    """Count GRU, W_w (eq. 7), Q, p_i . c times q_i . u_t, weighted sums (eq. 15), perhaps the mean context; P once."""
    a_word = hidden**2 + heads * hidden + heads + heads * hidden
    a_word += 2 * gates(3, DIM, hidden // 2) if encoder == "gru" else 0
    a_word += DIM if context == "mean" else 0
    asked = heads * (DIM if context == "mean" else hidden)
    return t * a_word + asked + classified(heads * hidden, mlp_hidden)


def of_structured(t: int, *, hidden: int, attention_hidden: int, heads: int, mlp_hidden: int, **_: object) -> float:
    """Count BiLSTM, W_s1 and W_s2 (Lin et al., eq. 6), weighted sums (eq. 7)."""
    attention = hidden * attention_hidden + attention_hidden * heads + heads * hidden
    return t * (2 * gates(4, DIM, hidden // 2) + attention) + classified(heads * hidden, mlp_hidden)


def of_encoder(t: int, *, layers: int, size: int, projections: int = 4, **_: object) -> float:
    """Count Vaswani et al., 3.2 and 3.3: projections, scores and weighted sums of t words, d to 4 d and back."""
    layer = projections * size**2 + 2 * t * size + 2 * 4 * size**2
    return t * (layers * layer + (DIM * size if size != DIM else 0)) + classified(size)


def of_transformer_f(t: int, *, attention="correlation", on="inputs", **options) -> float:
    """Count without queries and keys for inputs that correlate: the projections are values and output."""
    return of_encoder(t, projections=2 if (attention, on) == ("correlation", "inputs") else 4, **options)


def of_universal(t: int, *, steps: int, size: int, halting: str = "fixed", **_: object) -> float:
    """Count the one layer in every step, and a halting probability of d products."""
    return of_encoder(t, layers=steps, size=size) + (t * steps * size if halting == "adaptive" else 0)


MULTIPLY_ADDS = {  # by model, from a case's options: for a text of t words, by the sizes of the papers' layers
    "att-blstm": lambda t, hidden: t * (2 * gates(4, DIM, hidden) + 2 * hidden) + classified(hidden),
    "avg-embedding": lambda t: t * DIM + classified(DIM),
    "bigru": of_bigru,
    "bilstm": partial(of_lstm, directions=2),
    "cspan": of_cspan,
    "dpcnn": of_dpcnn,
    "fasttext": lambda t, ngrams=2, **_: sum(t - n for n in range(ngrams)) * DIM + classified(DIM),
    "fcsr": of_fcsr,
    "fcsr-fp": of_fcsr_fp,
    "lama": of_lama,
    "lstm": of_lstm,
    "structured-self-attention": of_structured,
    "textcnn": lambda t, filters, widths=(3, 4, 5): sum(
        (t + width - 1) * width * DIM * filters + classified(filters) for width in widths
    ),
    "transformer": of_encoder,
    "transformer-f": of_transformer_f,
    "universal-transformer": of_universal,
}


REFUSED: list[tuple[str, dict[str, object], str]] = []
for name in sorted(MODELS.keys() - DROPPED.keys()):  # models missing from the tables above declare themselves
    declared = import_module(f"tests.models.test_{name.replace('-', '_')}").EVERY_MODEL
    CASES += declared.cases
    DROPPED[name], MULTIPLY_ADDS[name] = declared.dropped, declared.multiply_adds
    REFUSED += [(name, options, sentence) for options, sentence in declared.refused]
every_model = pytest.mark.parametrize("case", CASES, ids=str)


def build(case: Case, seed: int = 1) -> Network:
    """Return the case's network; rows TUNED and later of its embedding are fixed."""
    torch.manual_seed(seed)
    network = network_class(case.model)
    embedding = WordEmbedding(torch.randn(VOCABULARY, DIM), tuned=TUNED, sparse=network.sparse_rows)
    return network.build(embedding, TASK, case.options)


def random_words(*shape: int) -> Tensor:
    """Return numbers of real words, fixed and tuned ones."""
    return torch.randint(2, VOCABULARY, shape)


def reads_trees(case: Case) -> bool:
    """Return whether the texts of a case must have the length of a tree: three tokens a word, less two."""
    return "nodes" in network_class(case.model).reads_with(case.options)


def random_trees(mask: Tensor) -> Tensor:
    """Return the nodes of random trees as long as the texts, with words in the padding."""
    trees = [random_tree((length + 2) // 3) for length in mask.sum(dim=1).tolist()]
    return tensor([[*tree, *[WORD] * (mask.shape[1] - len(tree))] for tree in trees])


def random_given(case: Case, mask: Tensor) -> list[Tensor]:
    """Return a network's inputs after words and mask, for texts with this mask."""
    shape = tuple(mask.shape)
    given = {
        "parts": lambda: torch.randint(0, len(PARTS), shape),
        "sentences": lambda: (torch.rand(shape) < 0.4).cumsum(dim=1),
        "sides": lambda: (tensor([FIRST, SECOND, BETWEEN]).repeat(shape[1])[: shape[1]]).expand(shape),
        "nodes": lambda: random_trees(mask),
        "domains": lambda: torch.arange(shape[0]) % len(TASK.domains),
    }
    return [given[name]() for name in network_class(case.model).reads_with(case.options)]


def first_words(given: Tensor, count: int) -> Tensor:
    """Return the inputs of each text's first words; per-text inputs stay."""
    return given[:, :count] if given.dim() > 1 else given


def eight_texts(case: Case) -> tuple[list[Tensor], Tensor]:
    """Return words, mask and other inputs of eight random texts of one to nine words (ten), and their classes."""
    torch.manual_seed(8)
    lengths = [10, 1, 4, 4, 7, 7, 10, 10] if reads_trees(case) else [9, 1, 3, 4, 5, 6, 7, 8]
    mask = torch.arange(max(lengths)) < tensor(lengths).unsqueeze(1)
    texts = [random_words(*mask.shape) * mask, mask, *random_given(case, mask)]
    return texts, tensor([0, 1, 2, 0, 1, 2, 1, 0])


def loss_of(network: Network, texts: list[Tensor], classes: Tensor) -> Tensor:
    """Return the training loss: the cross-entropy and, in training mode, the network's own terms."""
    loss = F.cross_entropy(network(*texts), classes)
    added = network.auxiliary_loss(classes)
    return loss if added is None else loss + added


def train(case: Case, network: Network, steps: int) -> Iterator[float]:
    """Return the losses of some steps on eight texts, one by one."""
    texts, classes = eight_texts(case)
    optimiser = torch.optim.Adagrad(network.parameters(), lr=0.1)  # takes dense and sparse gradients
    for _ in range(steps):
        optimiser.zero_grad()
        loss = loss_of(network.train(), texts, classes)
        loss.backward()
        optimiser.step()
        yield loss.item()


def test_the_tables_hold_every_model():
    assert {case.model for case in CASES} == set(MODELS) == DROPPED.keys() == MULTIPLY_ADDS.keys()


@every_model
def test_padding_changes_nothing(case):
    """Two words (trees: and two marks) alone, and padded to eleven with arbitrary words, over many draws."""
    length = 4 if reads_trees(case) else 2
    for seed in range(8):
        network = with_random_weights(build(case, seed))
        mask = torch.arange(11).expand(25, 11) < length
        texts = [random_words(25, 11), mask, *random_given(case, mask)]
        alone = network(*(first_words(given, length) for given in texts))
        assert_close(network(*texts), alone, rtol=1e-4, atol=1e-5)


@every_model
def test_texts_of_one_batch_do_not_meet(case):
    texts, _ = eight_texts(case)
    network = with_random_weights(build(case))
    together = network(*texts)
    for text, length in enumerate(texts[1].sum(dim=1)):
        alone = network(*(first_words(given[text : text + 1], length) for given in texts))  # a batch of one
        assert_close(together[text : text + 1], alone, rtol=1e-4, atol=1e-5)


@every_model
def test_every_parameter_gets_a_gradient(case):
    texts, classes = eight_texts(case)
    network = with_random_weights(build(case))
    loss_of(network.train(), texts, classes).backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.to_dense().any(), name


def one_dropout(place, network, given, monkeypatch):
    """Return the loss of a training pass in which only the dropout at this place acts, and the shapes that all see."""
    dropout, shapes = F.dropout, []

    def at_one_place(x, p=0.5, training=True, inplace=False):
        if not (p and training):
            return x
        shapes.append(tuple(x.shape))
        return dropout(x, p) if len(shapes) == place else x

    with monkeypatch.context() as patch:
        patch.setattr(F, "dropout", at_one_place)
        return loss_of(network, *given).item(), shapes


@every_model
def test_each_dropout_acts_in_training_alone(case, monkeypatch):
    """At each place of `DROPPED` a high rate makes two passes differ; there is no other place."""
    given, dropped = eight_texts(case), []
    options = [name for name in signature(network_class(case.model)).parameters if name.startswith("dropout")]
    none = case.options | dict.fromkeys(options, 0.0)
    without = with_random_weights(build(replace(case, options=none)))(*given[0])
    for option in options:
        network = with_random_weights(build(replace(case, options=none | {option: 0.9})))
        assert network(*given[0]).equal(without), option
        _, shapes = one_dropout(None, network.train(), given, monkeypatch)
        dropped += shapes
        for place, shape in enumerate(shapes, start=1):
            first, second = (one_dropout(place, network, given, monkeypatch)[0] for _ in range(2))
            assert first != second, (option, shape)
    assert dropped == DROPPED[case.model](**case.options)


@every_model
def test_a_step_in_bfloat16_is_about_that_in_float32(case):
    texts, classes = eight_texts(case)
    losses = {}
    for precision in ("float32", "bfloat16"):
        network = build(case).float().train()
        torch.manual_seed(2)
        with wide_products("cpu", precision):
            with forward_pass("cpu", precision):
                logits = network(*texts)
            loss = cross_entropy(logits, classes)
            added = network.auxiliary_loss(classes)
            losses[precision] = loss if added is None else loss + added
            losses[precision].backward()
    assert_close(losses["bfloat16"], losses["float32"], rtol=0.1, atol=0.1)


@every_model
def test_eight_texts_are_memorised(case):
    none = {name: 0.0 for name in signature(network_class(case.model)).parameters if name == "dropout"}
    network = build(replace(case, options=case.options | none))
    texts, classes = eight_texts(case)
    for step, _ in enumerate(train(case, network, steps=400)):
        if step % 5 == 4 and network.eval()(*texts).argmax(dim=1).equal(classes):
            return
    pytest.fail("not all are memorised after 400 steps")


@every_model
def test_weights_survive_saving(case, tmp_path):
    texts, _ = eight_texts(case)
    network = build(case)
    list(train(case, network, steps=2))
    save_file(network.state_dict(), tmp_path / "weights.safetensors")
    restored = build(case, seed=2)
    restored.load_state_dict(load_file(tmp_path / "weights.safetensors"))
    assert restored.eval()(*texts).equal(network.eval()(*texts))


@every_model
def test_equal_seeds_give_equal_losses(case):
    assert list(train(case, build(case, seed=3), steps=5)) == list(train(case, build(case, seed=3), steps=5))


@every_model
def test_number_of_parameters(case):
    count = sum(parameter.numel() for parameter in build(case).parameters())
    assert count == TUNED * DIM + case.parameters


@every_model
def test_flops_are_twice_the_multiply_adds_of_the_layers(case):
    network = build(case)
    for t in (8, 64, 512):  # three lengths determine a parabola; with powers of two a quotient is exact
        assert network.flops_per_word(t) == 2 * MULTIPLY_ADDS[case.model](t, **case.options) / t


@pytest.mark.parametrize(
    ("model", "options", "sentence"),
    [
        ("avg-embedding", {"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
        ("att-blstm", {"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ("att-blstm", {"dropout_words": 1.0}, "dropout_words is 1.0; allowed: 0 <= dropout_words < 1"),
        ("att-blstm", {"dropout_states": 1.0}, "dropout_states is 1.0; allowed: 0 <= dropout_states < 1"),
        ("att-blstm", {"dropout": -1.0}, "dropout is -1.0; allowed: 0 <= dropout < 1"),
        ("bigru", {"hidden": 3}, "hidden is 3; allowed: even numbers from 2"),
        ("bigru", {"pool": "last"}, 'pool is "last"; allowed: max, mean'),
        ("bigru", {"mlp_hidden": -1}, "mlp_hidden is -1; allowed: mlp_hidden >= 0"),
        ("bigru", {"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
        ("bilstm", {"hidden": 301}, "hidden is 301; allowed: even numbers from 2"),
        ("bilstm", {"layers": 0}, "layers is 0; allowed: layers >= 1"),
        ("bilstm", {"pool": "first"}, 'pool is "first"; allowed: max, mean, last'),
        ("bilstm", {"dropout": -0.1}, "dropout is -0.1; allowed: 0 <= dropout < 1"),
        ("cspan", {"layers": 0}, "layers is 0; allowed: layers >= 1"),
        ("cspan", {"queries": 0}, "queries is 0; allowed: queries >= 1"),
        ("cspan", {"distance": 0}, "distance is 0; allowed: distance >= 1"),
        ("cspan", {"fusion": "sum"}, 'fusion is "sum"; allowed: cascade, parallel, embeddings, positions, relative'),
        ("cspan", {"pool": "last"}, 'pool is "last"; allowed: queries, mean, max'),
        ("cspan", {"dropout": 1}, "dropout is 1; allowed: 0 <= dropout < 1"),
        ("cspan", {"fusion": "relative", "first_attention": False}, "first_attention is False; allowed: True if"),
        ("cspan", {"fusion": "parallel", "residual": False}, "residual is False; allowed: True if"),
        ("dpcnn", {"maps": 0}, "maps is 0; allowed: maps >= 1"),
        ("dpcnn", {"region": 2}, "region is 2; allowed: odd numbers from 1"),
        ("dpcnn", {"region": -1}, "region is -1; allowed: odd numbers from 1"),
        ("dpcnn", {"blocks": 0}, "blocks is 0; allowed: blocks >= 1"),
        ("dpcnn", {"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
        ("fasttext", {"ngrams": 0}, "ngrams is 0; allowed: ngrams >= 1"),
        ("fasttext", {"buckets": 0}, "buckets is 0; allowed: buckets >= 1"),
        ("fcsr", {"alpha": 2}, "alpha is 2; allowed: 0 <= alpha < 1"),
        ("fcsr", {"gate": "tanh"}, 'gate is "tanh"; allowed: relu, sigmoid'),
        ("fcsr", {"activation": "tanh"}, 'activation is "tanh"; allowed: as-gates, sigmoid, softmax'),
        ("fcsr", {"dropout": 1}, "dropout is 1; allowed: 0 <= dropout < 1"),
        ("fcsr", {"spread": -1.0}, "spread is -1.0; allowed: spread >= 0"),
        ("fcsr", {"window": -1}, "window is -1; allowed: window >= 0"),
        ("fcsr", {"window": 4}, "window is 4; allowed: 0 (the whole text) or, as a field, an odd number"),
        ("fcsr", {"window_means": "words"}, 'window_means is "words"; allowed: field, distance'),
        ("fcsr-fp", {"reversal": 0.0}, "reversal is 0.0; allowed: above 0"),
        ("fcsr-fp", {"gate": "tanh"}, 'gate is "tanh"; allowed: relu, sigmoid'),
        ("lama", {"heads": 0}, "heads is 0; allowed: heads >= 1"),
        ("lama", {"hidden": 101}, "hidden is 101; allowed: even numbers from 2"),
        ("lama", {"context": "random"}, 'context is "random"; allowed: learned, mean'),
        ("lama", {"disagreement": "subspaces"}, 'disagreement is "subspaces"; allowed: none, positions, embeddings'),
        ("lama", {"disagreement_weight": -0.2}, "disagreement_weight is -0.2; allowed: disagreement_weight >= 0"),
        ("lama", {"encoder": "lstm"}, 'encoder is "lstm"; allowed: gru, none'),
        ("lama", {"mlp_hidden": -1}, "mlp_hidden is -1; allowed: mlp_hidden >= 0"),
        ("lama", {"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
        ("lstm", {"layers": 0}, "layers is 0; allowed: layers >= 1"),
        ("lstm", {"hidden": 0}, "hidden is 0; allowed: hidden >= 1"),
        ("lstm", {"pool": "first"}, 'pool is "first"; allowed: max, mean, last'),
        ("lstm", {"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
        ("structured-self-attention", {"hidden": 1}, "hidden is 1; allowed: even numbers from 2"),
        ("structured-self-attention", {"attention_hidden": 0}, "attention_hidden is 0; allowed: attention_hidden >= 1"),
        ("structured-self-attention", {"heads": 0}, "heads is 0; allowed: heads >= 1"),
        ("structured-self-attention", {"penalty": -1}, "penalty is -1; allowed: penalty >= 0"),
        ("structured-self-attention", {"mlp_hidden": -1}, "mlp_hidden is -1; allowed: mlp_hidden >= 0"),
        ("structured-self-attention", {"dropout": 1.0}, "dropout is 1.0; allowed: 0 <= dropout < 1"),
        ("textcnn", {"widths": []}, "widths is []; allowed: one or more whole numbers >= 1"),
        ("textcnn", {"filters": 0}, "filters is 0; allowed: filters >= 1"),
        ("textcnn", {"dropout": 2.0}, "dropout is 2.0; allowed: 0 <= dropout < 1"),
        ("transformer", {"layers": 0}, "layers is 0; allowed: layers >= 1"),
        ("transformer", {"heads": 0}, "heads is 0; allowed: heads >= 1"),
        ("transformer", {"size": 7}, "size is 7; allowed: even numbers from 2"),
        ("transformer", {"size": 8, "heads": 3}, "size is 8; allowed: even numbers from 2 divisible by heads (3)"),
        ("transformer", {"dropout": 1}, "dropout is 1; allowed: 0 <= dropout < 1"),
        ("transformer-f", {"attention": "additive"}, 'attention is "additive"; allowed: correlation, dot-product'),
        ("transformer-f", {"on": "outputs"}, 'on is "outputs"; allowed: inputs, projections'),
        ("transformer-f", {"weigh": "both"}, 'weigh is "both"; allowed: after, before'),
        ("transformer-f", {"fusion": "mean"}, 'fusion is "mean"; allowed: hook, last'),
        ("transformer-f", {"content": ["NOUNS"]}, "content is ['NOUNS']; allowed: one or more of ADJ"),
        ("transformer-f", {"content": []}, "content is []; allowed: one or more of ADJ"),
        ("transformer-f", {"other_weight": 0}, "other_weight is 0; allowed: above 0"),
        ("transformer-f", {"content_weight": -1}, "content_weight is -1; allowed: above 0"),
        ("transformer-f", {"hook_a": 0}, "hook_a is 0, hook_b is 2.9; allowed: nonzero numbers of the same sign"),
        ("universal-transformer", {"steps": 0}, "steps is 0; allowed: steps >= 1"),
        ("universal-transformer", {"size": 9}, "size is 9; allowed: even numbers from 2"),
        ("universal-transformer", {"halting": "soft"}, 'halting is "soft"; allowed: fixed, adaptive'),
        ("universal-transformer", {"combine": "mean"}, 'combine is "mean"; allowed: interpolate, sum'),
        ("universal-transformer", {"threshold": 1.0}, "threshold is 1.0; allowed: 0 < threshold < 1"),
        ("universal-transformer", {"ponder": -1.0}, "ponder is -1.0; allowed: ponder >= 0"),
        *REFUSED,
    ],
)
def test_a_wrong_option_is_named_with_what_is_allowed(model, options, sentence):
    with pytest.raises(ValueError) as error:
        build(Case(model, 0, options))
    assert sentence in str(error.value)


OF_ANY_SIZE = {("recurrent-highway", "gate_bias")}
CHECKED_TOGETHER = {  # by the constructor
    ("blstm-2dcnn", "frames"),
    ("blstm-2dcnn", "hidden"),
    ("dcnn", "maps"),
    ("hlan", "size"),
    ("mt-lstm", "hidden"),
    ("transformer", "size"),
    ("transformer-f", "hook_a"),
    ("transformer-f", "hook_b"),
    ("transformer-f", "size"),
    ("universal-transformer", "size"),
}


def test_every_number_among_the_options_declares_its_range():  # a class that repeats its parent's options, too
    functions = {name: network_class(name).__init__ for name in MODELS} | {name: trainer_of(name) for name in TRAINERS}
    numbers = [int, float, Sequence[int], Sequence[float]]
    bare = {
        (name, option)
        for name, function in functions.items()
        for option in options_of(network_class(name) if name in MODELS else function)
        if get_type_hints(function, include_extras=True)[option] in numbers
    }
    assert bare == OF_ANY_SIZE | CHECKED_TOGETHER


def test_a_misspelt_model_is_answered_with_the_nearest():
    with pytest.raises(InputError, match='did you mean "textcnn"'):
        network_class("textcn")
