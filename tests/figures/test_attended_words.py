import numpy as np
import pyarrow as pa
import pytest
import torch
from torch import nn

from retable.figures.attention import attended_texts, attention_matrices, last_matrix
from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.models.transformer import Transformer
from retable.models.transformer_f import TransformerF, correlations, with_unit_rows
from retable.text.splits import Facts, Split
from retable.text.vocabulary import Vocabulary
from retable.training.network import NetworkClassifier

CPU = torch.device("cpu")
VOCABULARY = Vocabulary(["<padding>", "<unknown>", "a", "b", "c"], tuned=5, lowercase=True)


def classifier(network, max_words=0):
    return NetworkClassifier(network, VOCABULARY, CPU, "float32", max_words)


def split_of(*texts):
    tokens = pa.array([text.split() for text in texts], pa.list_(pa.string()))
    count = len(texts)
    return Split(
        Facts("made-up", "en", ("bad", "good")), [str(index) for index in range(count)], tokens, None,
        np.arange(count) % 2, np.ones(count, dtype=bool),
    )  # fmt: skip


class ByPlace(Network):
    """Return two heads: one attends to the first word, one to all equally."""

    def __init__(self):
        super().__init__()
        self.unused = nn.Parameter(torch.zeros(1))

    def attention(self, words, mask):
        first = torch.zeros(mask.shape)
        first[:, 0] = 1
        return torch.stack((first, mask / mask.sum(1, keepdim=True)), dim=1)


def test_the_weights_of_every_text_are_those_of_its_own_words_in_order():
    texts = attended_texts(classifier(ByPlace()), split_of("c a b A", "a zebra"))
    assert [text.words for text in texts] == [("c", "a", "b", "a"), ("a", "<unknown>")]
    assert [text.weights.tolist() for text in texts] == [[0.625, 0.125, 0.125, 0.125], [0.75, 0.25]]
    assert [text.label for text in texts] == ["bad", "good"]
    assert attended_texts(classifier(ByPlace(), max_words=2), split_of("a b c"))[0].words == ("a", "b")


def test_the_matrices_of_a_transformer_are_the_softmax_of_its_scaled_products():
    torch.manual_seed(1)
    network = Transformer(WordEmbedding(torch.randn(5, 4), tuned=5), 2, layers=2, size=4, heads=2, dropout=0.0).eval()
    words, mask = torch.tensor([[2, 4, 3]]), torch.ones(1, 3, dtype=torch.bool)
    found = attention_matrices(network, (words, mask))
    x = network.inputs(network.embedding(words))
    query, key, _ = network.layers[0].attention.projections(x)[0].chunk(3, dim=1)
    expected = sum(
        torch.softmax(query[:, part] @ key[:, part].T / 2**0.5, dim=1) for part in (slice(0, 2), slice(2, 4))
    ) / 2  # fmt: skip
    assert len(found) == 2
    np.testing.assert_allclose(found[0], expected.detach().numpy(), rtol=1e-5)


def test_the_matrix_of_transformer_f_is_the_softmax_of_correlations():
    torch.manual_seed(1)
    network = TransformerF(
        WordEmbedding(torch.randn(5, 4), tuned=5), 2, ("?",), layers=1, size=4, heads=1, weigh_parts=False
    ).eval()
    words, mask = torch.tensor([[2, 4, 3]]), torch.ones(1, 3, dtype=torch.bool)
    (found,) = attention_matrices(network, (words, mask, torch.zeros_like(words)))
    x = network.inputs(network.embedding(words))
    scores = with_unit_rows(correlations(x, x), torch.zeros(1, 1, 3, dtype=torch.bool))[0]
    np.testing.assert_allclose(found, torch.softmax(scores, dim=1).detach().numpy(), rtol=1e-5)


@pytest.mark.parametrize(("wanted", "expected"), [(("b c",), ("a", "b", "c")), (("c", "a"), ("a", "b", "c"))])
def test_the_first_short_text_that_has_what_is_wanted_is_taken(wanted, expected):
    network = classifier(Transformer(WordEmbedding(torch.randn(5, 4), tuned=5), 2, layers=1, size=4, heads=1))
    split = split_of("a", "a b c a b c", "a b c", "c b a")
    words, matrix = last_matrix(network, split, wanted, longest=4)
    assert (words, matrix.shape) == (expected, (3, 3))
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0, rtol=1e-5)
    assert last_matrix(network, split, ("zebra",), longest=9) is None
