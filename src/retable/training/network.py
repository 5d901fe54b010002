"""A network as a run needs it: built on its vocabulary and vectors, trained, saved, loaded, asked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from retable.errors import InputError
from retable.files import atomic_file, read_json, write_json
from retable.layers.domains import PerDomain
from retable.layers.embedding import WordEmbedding
from retable.models import network_class
from retable.text.splits import Facts, Split
from retable.text.units import in_unit
from retable.text.vocabulary import Encoded, Vocabulary, build_vocabulary, count_words, encode, part_names
from retable.training.batches import BatchMaker
from retable.training.fit import fit
from retable.training.history import Epoch, History
from retable.training.keeper import StatePlace
from retable.training.loop import Precision
from retable.training.parallel import ALONE, Ranks
from retable.training.predict import predict_logits
from retable.training.seeds import seed_everything
from retable.vectors.store import WordVectors

Section = Mapping[str, Any]
Heads = Literal["shared", "per-domain"]
SPARSE_MODELS = ("fasttext",)
MEANS_OVER_WORDS = ("universal-transformer",)  # models whose own loss is a mean over words, not over texts


@dataclass(frozen=True)
class NetworkClassifier:
    """A trained network and the vocabulary, in its unit, that it reads.

    Several `ranks` share the texts that it answers: then all of them call `probabilities`.
    """

    network: nn.Module
    vocabulary: Vocabulary
    device: torch.device
    precision: Precision
    max_words: int
    ranks: Ranks = ALONE

    @property
    def per_domain(self) -> bool:
        """Whether every domain of a joint corpus has a classifier of its own."""
        return isinstance(self.network, PerDomain)

    def encoded(self, split: Split) -> Encoded:
        """The texts of a split in row numbers, as the network reads them."""
        return encode(split, self.vocabulary, max_words=self.max_words)

    def probabilities(self, split: Split) -> np.ndarray:
        """Class probabilities of every text, float32 (text, class)."""
        encoded = self.encoded(split)
        maker = BatchMaker(self.ranks.part(encoded), self.device, per_domain=self.per_domain)
        logits = self.ranks.whole(predict_logits(self.network, maker, self.precision), len(encoded))
        return logits.softmax(dim=1).numpy()

    def save(self, folder: Path) -> None:
        """Write weights.safetensors and vocabulary.json."""
        with atomic_file(folder / "weights.safetensors") as part:
            save_file({name: weight.contiguous() for name, weight in self.network.state_dict().items()}, part)
        write_json(folder / "vocabulary.json", asdict(self.vocabulary))

    def cost_facts(self, words_per_text: float) -> dict[str, float]:
        """Parameters that training changes (all, and those of word vectors) and forward FLOPs for a unit of text."""
        tuned = sum(
            module.tuned.numel()
            for module in self.network.modules()
            if isinstance(module, WordEmbedding) and module.tuned is not None
        )
        return {
            "parameters": sum(weight.numel() for weight in self.network.parameters()),
            "parameters_tuned_words": tuned,
            "flops_per_word": self.network.flops_per_word(words_per_text),  # type: ignore[operator]
        }


def choose_device(name: str) -> torch.device:
    """auto takes a GPU where there is one.

    Raises: InputError if a GPU is asked for and there is none.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name == "cuda" and not torch.cuda.is_available():
        raise InputError('device is "cuda" in params.yaml, but torch sees no GPU; set it to auto or cpu.')
    return torch.device(name)


def first_vectors(vocabulary: Vocabulary, vectors: WordVectors, *, size: int, spread: float) -> Tensor:
    """The rows that training starts from: given vectors, and normal numbers for the words without one.

    Args:
        size: numbers in a row where no vectors are given.
        spread: standard deviation of the random rows.
    """
    dim = vectors.matrix.shape[1] if vectors.words else size
    rows = torch.randn(len(vocabulary.words), dim) * spread
    where = {word: row for row, word in enumerate(vocabulary.words)}
    known = [(where[word], index) for index, word in enumerate(vectors.words) if word in where]
    if known:
        target, source = (torch.tensor(column) for column in zip(*known, strict=True))
        rows[target] = torch.from_numpy(np.asarray(vectors.matrix[source.numpy()], dtype=np.float32)).to(rows.dtype)
    return rows


def reads_parts(name: str) -> bool:
    """Whether a network is given the parts of speech of its words; its class says so."""
    return bool(getattr(network_class(name), "reads_parts", False))


def build_network(
    model: Section, classes: int, rows: Tensor, *, tuned: int, parts: Sequence[str] = (), domains: int = 0
) -> nn.Module:
    """The network that the section `model` describes, on these word vectors.

    Args:
        parts: names of the parts of speech, the unknown one first; for a network that reads them.
        domains: how many domains have a classifier each; 0: there is one for all texts.
    """
    options = {name: value for name, value in model.items() if name != "name"}
    embedding = WordEmbedding(rows, tuned=tuned, sparse=model["name"] in SPARSE_MODELS)
    build = network_class(model["name"])
    network = build(embedding, classes * (domains or 1), *([parts] if parts else []), **options)
    return PerDomain(network, domains) if domains else network


def domains_with_heads(facts: Facts, heads: Heads) -> int:
    """How many domains of a corpus have a classifier each, 0 where all texts share one.

    Raises: InputError if a corpus without domains is to have several.
    """
    if heads == "per-domain" and not facts.domains:
        raise InputError(f"training.heads is per-domain, but {facts.corpus} has no domains; set it to shared.")
    return len(facts.domains) if heads == "per-domain" else 0


def untrained_network(
    train: Split, vectors: WordVectors, *, model: Section, embedding: Section, heads: Heads = "shared", seed: int
) -> tuple[nn.Module, Vocabulary]:
    """A network on the CPU as it is before its first step, and the vocabulary of its training split.

    Args:
        seed: of the first weights, and of the dropout after them.
    Raises: as `train_network`.
    """
    check_unit(vectors, embedding["unit"])
    seed_everything(seed)
    vocabulary = build_vocabulary(
        count_words(in_unit(train, embedding["unit"]).tokens, lowercase=embedding["lowercase"]),
        vectors.words,
        min_count=embedding["min_count"],
        lowercase=embedding["lowercase"],
        unit=embedding["unit"],
        parts=part_names(train) if reads_parts(model["name"]) else (),
    )
    rows = first_vectors(vocabulary, vectors, size=embedding["size"], spread=embedding["spread"])
    tuned = vocabulary.tuned if embedding["tune"] else 0
    domains = domains_with_heads(train.facts, heads)
    classes = len(train.facts.labels)
    return build_network(model, classes, rows, tuned=tuned, parts=vocabulary.parts, domains=domains), vocabulary


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
    ranks: Ranks = ALONE,
) -> NetworkClassifier:
    """What `train_network` trains, on its device, before its first step; its arguments and errors."""
    network, vocabulary = untrained_network(
        train, vectors, model=model, embedding=embedding, heads=training["heads"], seed=seed
    )
    return NetworkClassifier(network.to(device), vocabulary, device, precision, training["max_words"], ranks)


def fitting_options(training: Section) -> dict[str, Any]:
    """What of the section `training` is `fit`'s; the network and its texts take the rest."""
    return {name: value for name, value in training.items() if name not in ("heads", "max_words")}


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
    state: StatePlace | None = None,
    ranks: Ranks = ALONE,
    on_batch: Callable[[int, int], None] | None = None,
    on_epoch: Callable[[Epoch], None] | None = None,
) -> tuple[NetworkClassifier, History]:
    """Train a network on one split and choose its epoch on another.

    Args:
        train, dev: in words; the network reads them in the unit that `embedding` names.
        model, embedding, training: the sections of params.yaml, already checked.
        state: where the training is kept while it runs, and from where it goes on.
        ranks: the processes that train together.
    Returns: the classifier with the weights of the chosen epoch, and the history.
    Raises: InputError if the network reads parts of speech and the splits were tagged without, or if the word vectors
        are those of another unit.
    """
    where = choose_device(device)
    ranks.check_device(where)
    classifier = untrained_classifier(
        train,
        vectors,
        model=model,
        embedding=embedding,
        training=training,
        seed=seed,
        device=where,
        precision=precision,
        ranks=ranks,
    )
    history = fit(
        classifier.network,
        classifier.encoded(train),
        classifier.encoded(dev),
        seed=seed,
        device=where,
        precision=precision,
        auxiliary_mean="words" if model["name"] in MEANS_OVER_WORDS else "texts",
        state=state,
        ranks=ranks,
        on_batch=on_batch,
        on_epoch=on_epoch,
        **fitting_options(training),
    )
    return classifier, history


def check_unit(vectors: WordVectors, unit: str) -> None:
    """Raises: InputError if the vectors are known to be those of another unit."""
    of_vectors = vectors.facts.get("unit", unit)
    if of_vectors != unit:
        raise InputError(
            f"embedding.unit is {unit}, but the vectors {vectors.facts['name']} are those of {of_vectors}; "
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
    """Read what `NetworkClassifier.save` wrote, for the corpus of which these are the facts."""
    where = choose_device(device)
    vocabulary = Vocabulary(**read_json(folder / "vocabulary.json"))
    weights = load_file(folder / "weights.safetensors")
    tuned = vocabulary.tuned if embedding["tune"] else 0
    domains = domains_with_heads(facts, training["heads"])
    table = f"{'network.' if domains else ''}embedding.{'tuned' if tuned else 'fixed'}"
    rows = torch.zeros(len(vocabulary.words), weights[table].shape[1])
    network = build_network(model, len(facts.labels), rows, tuned=tuned, parts=vocabulary.parts, domains=domains)
    network.load_state_dict(weights)
    return NetworkClassifier(network.to(where), vocabulary, where, precision, training["max_words"])
