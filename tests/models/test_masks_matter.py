"""Every mask of the models, the layers and the batches is needed: if it is removed, a test of padding fails.

Method     A mask is a piece of one source file. The file without it is compiled, and the functions of the imported
           module that differ get its code for the duration of one test: nothing is imported again or written.
"""

from importlib import import_module
from inspect import getsource
from operator import attrgetter
from types import CodeType, FunctionType
from typing import Any

import pytest

from tests.layers import test_bags, test_context, test_pooled_convolution
from tests.models import test_every_model, test_fasttext, test_mp_cnn, test_universal_transformer
from tests.training import test_batches

CASES = {str(case): case for case in test_every_model.CASES}


def padded(name: str) -> None:
    """Check that two words alone and padded give the same result, in one case."""
    test_every_model.test_padding_changes_nothing(CASES[name])


def beside(name: str) -> None:
    """Check that eight texts alone and in one batch give the same result, in one case."""
    test_every_model.test_texts_of_one_batch_do_not_meet(CASES[name])


ATT, AVG, BIGRU, CNN = "att-blstm hidden=5", "avg-embedding", "bigru hidden=10 mlp_hidden=7", "textcnn filters=4"
BIGRU_MEAN, LSTM = "bigru hidden=10 mlp_hidden=0 pool=mean", "bilstm hidden=10"
DPCNN, DPCNN_3 = "dpcnn maps=8 blocks=1", "dpcnn maps=8 blocks=3"
PLAIN_LSTM = "cspan pool=mean first_attention=False second_attention=False residual=False"  # its mean is the encoder's
ADVERSARIAL = "virtual-adversarial hidden=10 mlp_hidden=0 bidirectional=True pooling=max entropy=1.0 epsilon=1.0"
ABCNN = "abcnn attention=both layers=2 similarity=both filters=4 width=3 places=5"
POOLING, ALIGNED = "attentive-pooling encoder=bilstm hidden=8", "decomposable-attention hidden=16 spread=0.2"
BIMPM = "bimpm hidden=4 perspectives=2 mlp_hidden=7"
CAPSULE = "capsule widths=[2, 4] filters=8 primary=4 window=2 capsules=6 size=4"
DISAN, LEAM = "disan hidden=5 mlp_hidden=7", "leam radius=1 mlp_hidden=0"
GENERALIZED = "generalized-pooling layers=2 heads=3 hidden=5 attention_hidden=4 mlp_hidden=16"
MEANS = "pair-encoder encoder=mean hidden=4 mlp_hidden=7"
INNER = "inner-attention hidden=5"
HIGHWAY, SIAMESE = "recurrent-highway hidden=4 depth=2 pool=last", "siamese-lstm compare=features hidden=5"
NASM = "nasm layers=2 samples=1 hidden=5 latent=4"
S_LSTM, TEXTING = "s-lstm hidden=5 steps=3", "texting hidden=5 window=3 steps=2"
TREE = "tree-lstm tree=balanced composition=binary hidden=5"
CHAIN = "tree-lstm tree=left composition=binary hidden=5"
PARSED = "tree-lstm tree=given composition=binary hidden=5"
GRU = "states_of_words(self.gru, x, mask)"
EVERYWHERE = "(mask | ~mask)"  # as if padding were words
CUT = "torch.where(more[:, None, None], deeper, x[:, :, : pooled.shape[2]])"
TURNED, ALL_TURNED = "mask.sum(dim=1, keepdim=True) - 1 - places", "mask.shape[1] - 1 - places"
blocks = test_context.test_blocks_match_the_loop_of_the_paper
doubles = test_pooled_convolution.test_in_doubles_a_window_that_does_not_count_never_wins
by_hand = test_fasttext.test_average_of_words_and_bigrams_by_hand
compared = test_mp_cnn.test_fast_form_matches_the_comparison_number_by_number
ponder = test_universal_transformer.test_ponder_cost_is_steps_and_remainder_of_the_mean_word
sums = test_universal_transformer.test_weights_of_every_word_sum_to_one
batch = test_batches.test_a_batch_holds_the_words_of_its_texts_and_padding_behind
parts = test_batches.test_parts_of_speech_are_padded_like_words_and_given_to_the_network
# The place of each mask, its replacement, and the test that must fail, with its arguments.
MASKS: list[tuple[Any, ...]] = [
    ("layers/attention", ".masked_fill(~mask, -torch.inf)", "", padded, "cspan"),
    ("layers/bags", "(rows != PADDING)", "torch.ones_like(rows)", test_bags.test_sums_by_hand),
    ("layers/context", "words.masked_fill(is_padding, 0.0)", "words", padded, "fcsr"),
    ("layers/context", "alpha, reach).masked_fill(is_padding, 0.0)", "alpha, reach)", blocks, 2, 0.0),
    ("layers/encoder", "(x * real).sum", "x.sum", padded, "transformer layers=2 size=8"),
    ("layers/encoder", "/ real.sum(dim=1)", "/ x.shape[1]", padded, PLAIN_LSTM),
    ("layers/encoder", ".masked_fill(~mask.unsqueeze(2), -torch.inf)", "", beside, "cspan pool=max fusion=positions"),
    ("layers/encoder", ".masked_fill(~mask.unsqueeze(2), -torch.inf)", "", padded, "swem pool=max mlp_hidden=0"),
    ("layers/encoder", ".masked_fill(~mask.unsqueeze(2), -torch.inf)", "", beside, ADVERSARIAL),
    ("layers/bag_encoder", "there = mask & (words", "there = (words", padded, "vampire topics=5 layers=2"),
    ("layers/heads", ".masked_fill(~mask.unsqueeze(2), -torch.inf)", "", beside, "cspan"),
    ("layers/pooled_convolution", "where(real.unsqueeze(2),", "where(real.unsqueeze(2) | True,", padded, CNN),
    ("layers/pooled_convolution", ".masked_fill(~real.unsqueeze(1), -torch.inf)", "", doubles),
    ("layers/recurrent", TURNED, ALL_TURNED, beside, BIGRU),
    ("layers/recurrent", ".masked_fill(~mask.unsqueeze(2), padding_value)", "", beside, BIGRU),
    ("models/att_blstm", ".masked_fill(~mask, -torch.inf)", "", beside, ATT),
    ("layers/encoder", "(x * real).sum", "x.sum", padded, AVG),
    ("layers/encoder", "/ real.sum(dim=1)", "/ x.shape[1]", padded, AVG),
    ("models/bigru", f"mean_over_words({GRU}, mask)", f"{GRU}.mean(dim=1)", beside, BIGRU_MEAN),
    ("models/bigru", "padding_value=-torch.inf", "padding_value=0.0", beside, BIGRU),
    ("models/dpcnn", " * mask.unsqueeze(2)", "", padded, DPCNN),
    ("models/dpcnn", " * real  # (B, K, T)", "", beside, DPCNN),
    ("models/dpcnn", "self.first(F.relu(x)) * real", "self.first(F.relu(x))", beside, DPCNN),
    ("models/dpcnn", "self.second(F.relu_(y)) * real", "self.second(F.relu_(y))", beside, DPCNN_3),
    ("models/dpcnn", "(pooled * real, real)", "(pooled, real)", beside, DPCNN_3),
    ("models/dpcnn", CUT, "deeper", beside, DPCNN_3),
    ("models/dpcnn", ".masked_fill(~real, -torch.inf)", "", beside, DPCNN),
    ("models/fasttext", ".masked_fill(~mask, PADDING)", "", padded, "fasttext ngrams=1"),
    ("models/fasttext", "count = mask.sum", f"count = {EVERYWHERE}.sum", padded, "fasttext ngrams=1"),
    ("models/fasttext", ".mul_(words_left >= order)", "", beside, "fasttext buckets=50"),
    ("models/fasttext", "(rows != PADDING)", "(rows >= 0)", by_hand),
    ("models/fcsr", "mask.flatten().nonzero()", f"{EVERYWHERE}.flatten().nonzero()", padded, "fcsr"),
    ("models/lstm", '-torch.inf if self.pool == "max" else 0.0', "0.0", beside, LSTM),
    ("models/lstm", "mean_over_words(states, mask)", "states.mean(dim=1)", beside, f"{LSTM} pool=mean"),
    ("models/lstm", "last_of(states[:, :, :side], mask)", "states[:, -1, :side]", beside, f"{LSTM} pool=last"),
    ("models/abcnn", "[x * mask.unsqueeze(2) for x, mask", "[x for x, mask", beside, ABCNN),
    ("models/abcnn", " * (masks[0].unsqueeze(2) & masks[1].unsqueeze(1))", "", beside, ABCNN),
    ("models/attentive_pooling", ".masked_fill(~other.unsqueeze(1), -torch.inf)", "", beside, POOLING),
    (
        "models/attentive_pooling",
        ".masked_fill(~own, -torch.inf)",
        "",
        beside,
        "attentive-pooling encoder=cnn hidden=8",
    ),
    ("models/bimpm", "scores.masked_fill(~real, -torch.inf)", "scores", beside, BIMPM),
    ("models/bimpm", "cosines.masked_fill(~real.unsqueeze(1), -torch.inf)", "cosines", beside, BIMPM),
    ("models/c_lstm", " * mask.unsqueeze(2)  # (B, T, D)", "", padded, "c-lstm filters=6 hidden=5 width=4"),
    ("models/capsule", "* real if self.amend", "if self.amend", beside, CAPSULE),
    ("models/dan", "mask & (self.dropout", "(mask | ~mask) & (self.dropout", padded, "dan hidden=9"),
    ("models/dcnn", " * mask.unsqueeze(2)", "", padded, "dcnn widths=[3, 2] maps=[2, 3] k=3"),
    ("models/decomposable_attention", "v.masked_fill(~mask.unsqueeze(2), 0.0)", "v", beside, ALIGNED),
    ("models/decomposable_attention", ".masked_fill(~mask.unsqueeze(1), -torch.inf)", "", beside, ALIGNED),
    ("models/disan", ".masked_fill(~mask.unsqueeze(2), -torch.inf)", "", beside, "disan hidden=5 mlp_hidden=7"),
    ("models/disan", " & mask[:, None, seen]", " & (mask | ~mask)[:, None, seen]", beside, DISAN),
    ("models/dmn", " * mask.unsqueeze(2)", "", beside, "dmn hidden=4"),
    ("models/generalized_pooling", ".masked_fill(~mask[:, :, None, None], -torch.inf)", "", beside, GENERALIZED),
    ("layers/context_attention", ".masked_fill(~real, -torch.inf)", "", beside, "han hidden=10 attention_hidden=7"),
    ("models/hlan", ".masked_fill(~real.unsqueeze(1), -torch.inf)", "", beside, "hlan size=8 heads=2"),
    ("models/hyperqa", ".masked_fill(~text.mask.unsqueeze(2), 0.0)", "", beside, "hyperqa hidden=8"),
    ("models/inner_attention", "mean_over_words(states, mask)", "states.mean(dim=1)", beside, INNER),
    ("models/leam", "likeness.masked_fill(~mask, -torch.inf)", "likeness", beside, LEAM),
    ("models/mp_cnn", "(maps * real)", "(maps)", compared, {}),
    ("models/mp_cnn", ".masked_fill(~real, torch.inf)", "", compared, {}),
    ("models/mp_cnn", ".masked_fill(~real, -torch.inf)", "", compared, {}),
    ("models/mt_lstm", "last_of(states, mask)", "states[:, -1]", beside, "mt-lstm hidden=6"),
    ("models/mwan", ".masked_fill(~q_mask.unsqueeze(1), -torch.inf)", "", beside, "mwan hidden=8"),
    ("models/mwan", ".masked_fill(~mask.unsqueeze(2), -torch.inf)", "", beside, "mwan hidden=8"),
    ("models/nasm", "last_of(states, text.mask)", "states[:, -1]", beside, NASM),
    ("models/nasm", ".masked_fill(~states.mask.unsqueeze(1), -torch.inf)", "", beside, NASM),
    ("models/nse", "last_of(written, mask)", "written[:, -1]", beside, "nse mlp_hidden=7"),
    ("models/nse", ".masked_fill(~mask, -torch.inf)", "", beside, "nse mlp_hidden=7"),
    ("models/pair_encoder", "mean_over_words(x, text.mask)", "x.mean(dim=1)", beside, MEANS),
    ("models/rcnn", ".masked_fill(~mask.unsqueeze(2), -torch.inf)", "", beside, "rcnn"),
    ("models/recurrent_highway", "last_of(states, mask)", "states[:, -1]", beside, HIGHWAY),
    ("models/region_embedding", ".masked_fill(~inside, -torch.inf)", "", padded, "region-embedding"),
    ("models/region_embedding", ".masked_fill(~mask.unsqueeze(2), 0.0)", "", padded, "region-embedding"),
    ("models/s_lstm", "hidden.masked_fill(is_padding, 0.0)", "hidden", beside, S_LSTM),
    ("models/s_lstm", "f_words.masked_fill(~mask.unsqueeze(2), -torch.inf)", "f_words", beside, S_LSTM),
    ("models/siamese_lstm", "last_of(states, text.mask)", "states[:, -1]", beside, SIAMESE),
    ("models/swem", "(x * mask.unsqueeze(2))", "x", padded, "swem pool=hierarchical window=3 mlp_hidden=7"),
    ("models/text_gcn", ".masked_fill(~mask, PADDING)", "", padded, "text-gcn window=3"),
    ("models/tree_lstm", "torch.where(both, new,", "torch.where(both | True, new,", padded, TREE),
    ("models/tree_lstm", "torch.where(real, new_h, h)", "new_h", padded, CHAIN),
    ("models/tree_lstm", "whole = mask & (nodes", "whole = (mask | ~mask) & (nodes", padded, PARSED),
    ("models/wide_mlp", "words.masked_fill(~mask, PADDING)", "words", padded, "wide-mlp"),
    ("models/wide_mlp", "/ mask.sum(dim=1, keepdim=True)", "/ mask.shape[1]", padded, "wide-mlp"),
    ("layers/text_graph", "real = mask[:, distance:]", "real = (mask | ~mask)[:, distance:]", padded, TEXTING),
    ("models/textcnn", " * mask.unsqueeze(2)", "", padded, CNN),
    ("models/textcnn", "F.pad(mask,", f"F.pad({EVERYWHERE},", padded, CNN),
    ("models/transformer_f", "matrix.masked_fill(is_padding, 0.0)", "matrix", beside, "transformer-f layers=2 size=8"),
    ("models/universal_transformer", "padding_bias(mask), mask", f"padding_bias(mask), {EVERYWHERE}", ponder),
    ("models/universal_transformer", "1 - spent, probability) * running", "1 - spent, probability)", sums),
    ("models/universal_transformer", "/ mask.sum()", "/ mask.numel()", ponder),
    ("training/batches", "(0, where).masked_fill_(~mask, PADDING)", "(0, where)", batch),
    ("training/batches", "(0, where).masked_fill_(~mask, 0)", "(0, where)", parts),
]


def functions_of(code: CodeType) -> dict[str, CodeType]:
    """Return the functions and classes defined in compiled text, by their name in the module."""
    found: dict[str, CodeType] = {}
    for part in code.co_consts:
        if isinstance(part, CodeType) and "<" not in part.co_qualname:
            found |= {part.co_qualname: part, **functions_of(part)}
    return found


def rewrite(monkeypatch: pytest.MonkeyPatch, source: str, piece: str, other: str) -> None:
    """Give the functions of an imported module the code compiled from a changed text."""
    module = import_module(f"retable.{source.replace('/', '.')}")
    text = getsource(module)
    assert text.count(piece) == 1, f"{piece} stands {text.count(piece)} times in {source}.py"
    before, after = (
        functions_of(compile(each, source, "exec", dont_inherit=True)) for each in (text, text.replace(piece, other))
    )
    for name, code in after.items():
        function = attrgetter(name)(module)
        if code != before[name] and isinstance(function, FunctionType):
            monkeypatch.setattr(function, "__code__", code)


@pytest.mark.parametrize("mask", MASKS, ids=[f"{source} {piece}" for source, piece, *_ in MASKS])
def test_without_this_mask_a_test_fails(mask: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    source, piece, other, test, *given = mask
    rewrite(monkeypatch, source, piece, other)
    with pytest.raises(AssertionError):
        test(*given)
