"""A network as used by a run: built on its vocabulary and vectors, trained, saved, loaded, and applied."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import torch
from safetensors.torch import load_file, save
from torch import Tensor

from retable.errors import InputError
from retable.files import MODEL_AGAIN, atomic_file, write_json
from retable.forms import FLAG, Number, OneOf, check
from retable.forms import Section as SectionForm
from retable.layers.domains import PerDomain
from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network, Task
from retable.models import network_class
from retable.text.splits import Facts, Split
from retable.text.units import Unit, in_unit
from retable.text.vocabulary import (
    UNKNOWN,
    Encoded,
    Vocabulary,
    build_vocabulary,
    count_words,
    encode,
    part_names,
    read_vocabulary,
    vocabulary_of,
)
from retable.training.batches import BatchMaker
from retable.training.fit import fit
from retable.training.history import History
from retable.training.loop import Precision
from retable.training.options import SILENT, Progress, Training
from retable.training.predict import predict_logits
from retable.training.seeds import seed_everything
from retable.vectors.store import WordVectors

Section = Mapping[str, Any]
Heads = Literal["shared", "per-domain"]
MAX_WORDS = Number(0, 10**9, whole=True)
OF_TEXTS = SectionForm({"tune": FLAG, "unit": OneOf(get_args(Unit)), "lowercase": FLAG})
OF_ANSWERS = SectionForm({"heads": OneOf(get_args(Heads)), "max_words": MAX_WORDS})


@dataclass(frozen=True)
class NetworkClassifier:
    """A trained network and the vocabulary that it reads, in its unit."""

    network: Network
    vocabulary: Vocabulary
    device: torch.device
    precision: Precision
    max_words: int

    def encoded(self, split: Split) -> Encoded:
        """Return the texts of a split as row numbers, encoded for this network."""
        return encode(split, self.vocabulary, max_words=self.max_words)

    def probabilities(self, split: Split) -> np.ndarray:
        """Return the class probabilities of every text, float32 (text, class)."""
        encoded = self.encoded(split)
        maker = BatchMaker(encoded, self.device, reads=self.network.reads)
        logits = predict_logits(self.network, maker, self.precision)
        return logits.softmax(dim=1).numpy()

    def save(self, folder: Path) -> None:
        """Write weights.safetensors and vocabulary.json."""
        with atomic_file(folder / "weights.safetensors") as part:
            # save_file raises no OSError if the disk is full
            part.write_bytes(save({name: weight.contiguous() for name, weight in self.network.state_dict().items()}))
        write_json(folder / "vocabulary.json", asdict(self.vocabulary))

    def cost_facts(self, words_per_text: float) -> dict[str, float]:
        """Return the trained parameters (all, and those of word vectors) and the forward FLOPs per unit of text."""
        tuned = sum(
            module.tuned.numel()
            for module in self.network.modules()
            if isinstance(module, WordEmbedding) and module.tuned is not None
        )
        return {
            "parameters": sum(weight.numel() for weight in self.network.parameters()),
            "parameters_tuned_words": tuned,
            "flops_per_word": self.network.flops_per_word(words_per_text),
        }


def choose_device(name: str) -> torch.device:
    """Return the device of this name; auto takes a GPU if there is one.

    Raises: InputError if a GPU is requested and there is none.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name == "cuda" and not torch.cuda.is_available():
        raise InputError('the device is "cuda", but torch sees no GPU; set it to auto or cpu.')
    return torch.device(name)


def first_vectors(vocabulary: Vocabulary, vectors: WordVectors, *, size: int, spread: float) -> Tensor:
    """Return the initial rows: the given vectors, and normal random numbers for the words without one.

    Args:
        size: dimensions of a row if no vectors are given.
        spread: standard deviation of the random rows.
    """
    dim = vectors.matrix.shape[1] if vectors.words else size
    rows = torch.randn(len(vocabulary.words), dim) * spread
    where = {word: row for row, word in enumerate(vocabulary.words)}
    of_words = np.array([where.get(word, -1) for word in vectors.words], dtype=np.int64)
    source = np.flatnonzero(of_words >= 0)
    if len(source):
        given = np.asarray(vectors.matrix[source], dtype=np.float32)
        rows[torch.from_numpy(of_words[source])] = torch.from_numpy(given).to(rows.dtype)
    return rows


def task_of(facts: Facts, heads: Heads, parts: Sequence[str]) -> Task:
    """Return the task that a network is built for; it has domains if each domain has its own classifier.

    Raises: InputError if several classifiers are requested for a corpus without domains.
    """
    if heads == "per-domain" and not facts.domains:
        raise InputError(f"training.heads is per-domain, but {facts.corpus} has no domains; set it to shared.")
    domains = facts.domains if heads == "per-domain" else ()
    return Task(facts.labels, domains, tuple(parts), facts.language)


def build_network(model: Section, task: Task, rows: Tensor, *, tuned: int) -> Network:
    """Return the network described by the section `model`, on these word vectors.

    A network that does not read domains itself outputs the logits for all domains of the task at once.

    Raises: InputError if the model does not count its operations.
    """
    options = {name: value for name, value in model.items() if name != "name"}
    found = network_class(model["name"])
    if found.flops_per_word is Network.flops_per_word:  # raised here, not after hours of training
        raise InputError(
            f"{found.__name__} ({model['name']}) does not define the cost of a word; write its flops_per_word "
            "(docs/add-a-model.md)."
        )
    embedding = WordEmbedding(rows, tuned=tuned, sparse=found.sparse_rows)
    if not task.domains or "domains" in found.reads:
        network: Network = found.build(embedding, task, options)
    else:
        network = PerDomain(found.build(embedding, task.for_each_domain, options), len(task.domains))
    network.flops_per_word(1.0)  # a wrong implementation fails here too
    return network


def untrained_network(
    train: Split, vectors: WordVectors, *, model: Section, embedding: Section, heads: Heads = "shared", seed: int
) -> tuple[Network, Vocabulary]:
    """Return an untrained network on the CPU, and the vocabulary of its training split.

    Args:
        seed: of the initial weights, and of the dropout after them.
    Raises: as `train_network`.
    """
    check_unit(vectors, embedding["unit"])
    found = network_class(model["name"])
    reads = found.reads_with(model)
    seed_everything(seed)
    if found.alphabet:
        vocabulary = vocabulary_of(found.alphabet, lowercase=embedding["lowercase"], unit=embedding["unit"])
        rows = torch.eye(len(vocabulary.words))[:, UNKNOWN + 1 :]  # padding and unknown characters are zero vectors
        return build_network(model, task_of(train.facts, heads, ()), rows, tuned=0), vocabulary
    vocabulary = build_vocabulary(
        count_words(in_unit(train, embedding["unit"]).tokens, lowercase=embedding["lowercase"]),
        vectors.words,
        min_count=embedding["min_count"],
        lowercase=embedding["lowercase"],
        unit=embedding["unit"],
        parts=part_names(train) if "parts" in reads else (),
        sentences="sentences" in reads,
        sides="sides" in reads,
        nodes="nodes" in reads,
    )
    rows = first_vectors(vocabulary, vectors, size=embedding["size"], spread=embedding["spread"])
    tuned = vocabulary.tuned if embedding["tune"] else 0
    task = task_of(train.facts, heads, vocabulary.parts)
    task = replace(task, label_rows=rows_of_labels(task.labels, vocabulary))
    return build_network(model, task, rows, tuned=tuned), vocabulary


def rows_of_labels(labels: Sequence[str], vocabulary: Vocabulary) -> tuple[tuple[int, ...], ...]:
    """Return, for each label, the rows of the known words of its name; a word is a run of letters."""
    rows = {word: row for row, word in enumerate(vocabulary.words)}
    names = [re.findall(r"[^\W\d_]+", label.lower() if vocabulary.lowercase else label) for label in labels]
    return tuple(tuple(rows[word] for word in name if word in rows) for name in names)


def untrained_classifier(
    train: Split,
    vectors: WordVectors,
    *,
    model: Section,
    embedding: Section,
    training: Section,
    seed: int,
    device: torch.device,
    precision: Precision,
) -> NetworkClassifier:
    """Return the untrained classifier for `train_network`, on its device; same arguments and errors."""
    network, vocabulary = untrained_network(
        train, vectors, model=model, embedding=embedding, heads=training["heads"], seed=seed
    )
    return NetworkClassifier(network.to(device), vocabulary, device, precision, training["max_words"])


def training_of(section: Section) -> Training:
    """Return the options of the section `training` that the loop uses; the network and its texts use the rest."""
    return Training(**{name: value for name, value in section.items() if name not in ("heads", "max_words")})


def train_network(
    train: Split,
    dev: Split,
    vectors: WordVectors,
    *,
    model: Section,
    embedding: Section,
    training: Section,
    seed: int,
    device: str,
    precision: Precision,
    progress: Progress = SILENT,
) -> tuple[NetworkClassifier, History]:
    """Train a network on one split and choose its epoch on another.

    Args:
        train, dev: in words; the network reads them in the unit that `embedding` names.
        model, embedding, training: the sections of params.yaml, already checked.
    Returns: the classifier with the weights of the chosen epoch, and the history.
    Raises: InputError if the network reads parts of speech and the splits were tagged without them, or if the word
        vectors have another unit.
    """
    where = choose_device(device)
    classifier = untrained_classifier(
        train,
        vectors,
        model=model,
        embedding=embedding,
        training=training,
        seed=seed,
        device=where,
        precision=precision,
    )
    history = fit(
        classifier.network,
        classifier.encoded(train),
        classifier.encoded(dev),
        training_of(training),
        seed=seed,
        device=where,
        precision=precision,
        progress=progress,
    )
    return classifier, history


def check_unit(vectors: WordVectors, unit: str) -> None:
    """Raises: InputError if the vectors are known to have another unit."""
    of_vectors = vectors.facts.get("unit", unit)
    if of_vectors != unit:
        raise InputError(
            f"embedding.unit is {unit}, but the vectors {vectors.facts['name']} are of {of_vectors}; "
            f"set embedding.vectors to a set of {unit}, or to none."
        )


def load_network(
    folder: Path,
    facts: Facts,
    *,
    model: Section,
    embedding: Section,
    training: Section,
    device: str,
    precision: Precision,
) -> NetworkClassifier:
    """Load what `NetworkClassifier.save` wrote, for a corpus with these facts.

    Raises: InputError or ValueError if a file or an option has another form, or a weight is not finite.
    """
    for name, section, form in (("embedding", embedding, OF_TEXTS), ("training", training, OF_ANSWERS)):
        check(section, form, f"the parameters of the model in {folder}", MODEL_AGAIN, name)
    where = choose_device(device)
    vocabulary = read_vocabulary(folder / "vocabulary.json", MODEL_AGAIN)
    if (vocabulary.unit, vocabulary.lowercase) != (embedding["unit"], embedding["lowercase"]):
        raise ValueError("the vocabulary has another unit or case")
    weights = load_file(folder / "weights.safetensors")
    if wrong := [name for name, weight in weights.items() if not weight.isfinite().all()]:
        raise ValueError(f"{wrong[0]} has a number that is infinite or NaN")
    tuned = vocabulary.tuned if embedding["tune"] else 0
    table = f"embedding.{'tuned' if tuned else 'fixed'}"
    size = next(weight.shape[1] for name, weight in weights.items() if name.endswith(table))
    task = task_of(facts, training["heads"], vocabulary.parts)
    network = build_network(model, task, torch.zeros(len(vocabulary.words), size), tuned=tuned)
    network.load_state_dict(weights)
    return NetworkClassifier(network.to(where), vocabulary, where, precision, training["max_words"])
