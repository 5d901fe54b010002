"""Plan the runs of a cell whose corpus is split into folds, and the data that each run reads (retable.text.folds).

papers.<paper>.folds in params.yaml sets the number of folds of a corpus; `Column.folds` of the paper's tables says
what they are for. Word vectors of a corpus's own texts are then trained once per fold, without the texts that the fold
holds out: `folds` of the pool, data/pools/<pool>/fold-1-of-3/ and data/vectors/<name>/fold-1-of-3/.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from retable.corpora import CORPORA, corpus
from retable.errors import InputError, shown, unknown_name
from retable.experiments.digests import Kind as DataKind
from retable.experiments.digests import check_texts, raw_digest, read_lock, texts_digest, tokens_digest, vectors_digest
from retable.files import sha256_of_value
from retable.models import read_beside_words
from retable.papers import PAPERS, paper
from retable.papers.paper import Column, Paper, Row
from retable.papers.parameters import fold_count, folds_of, seeds_of
from retable.project.paths import CLEAN, DIGESTS, TAGGED
from retable.text.folds import Fold, FoldedCorpus, Kind
from retable.text.splits import SPLITS, Split, check_apart, check_training, read_split, read_texts
from retable.text.units import RAW

MOST_FOLDS = 1_000


class Planned(NamedTuple):
    """A run of a cell."""

    seed: int
    fold: Fold | None

    @property
    def label(self) -> str:
        """Return its label in displays: "1", or "1, fold 2 of 3"."""
        return f"{self.seed}, fold {self.fold.number} of {self.fold.folds}" if self.fold else str(self.seed)


def planned_runs(row: Row, column: Column, protocol: Mapping[str, Any]) -> list[Planned]:
    """Return the runs of a cell: one for each seed and fold."""
    return [Planned(seed, fold) for seed in seeds_of(row, column, protocol) for fold in folds_of(column, protocol)]


def splits_of_run(parameters: Mapping[str, Any], *, compared: bool = True) -> tuple[Split, Split, Callable[[], Split]]:
    """Return the train and dev splits of a run, and a function that reads its test split once the model is trained.

    Args:
        compared: whether to compare the digest of all three splits: `evaluate` does, `train` opens no test split.
    Raises: InputError if a file is missing or damaged or differs from its digest, or if nothing can be learnt from the
        training texts.
    """
    name, raw = parameters["corpus"]["name"], parameters["embedding"]["unit"] == RAW
    if compared:
        check_texts(TAGGED / name, CLEAN / name if raw else None)
    fold = Fold.of_parameters(parameters["corpus"])
    if fold is None:
        train, dev = split_of(name, "train", raw=raw), split_of(name, "dev", raw=raw)
        test: Callable[[], Split] = partial(split_of, name, "test", raw=raw)
    else:
        cut = folded_corpus(name, fold.kind, fold.folds, raw=raw).fold(fold.number)
        train, dev, test = cut.train, cut.dev, lambda: cut.test
    check_training(train, dev)

    def test_apart() -> Split:
        found = test()
        for known in (train, dev):
            check_apart(known, found)
        return found

    return train, dev, test_apart


def split_of(name: str, split: str, *, raw: bool) -> Split:
    """Return a split of a tagged corpus, with its clean texts if raw characters are read.

    Raises: InputError if the file belongs to another corpus, or its labels are not those that the corpus declares.
    """
    found = read_split(TAGGED / name, split)
    declared = corpus(name) if name in CORPORA else None
    if declared and (found.facts.corpus, found.facts.language, found.facts.labels) != (
        declared.name, declared.language, declared.labels,
    ):  # fmt: skip
        raise InputError(
            f"{TAGGED / name / split}.parquet is of {found.facts.corpus} ({found.facts.language}) with the labels "
            f"{', '.join(found.facts.labels)}; {name} ({declared.language}) has {', '.join(declared.labels)}; "
            "remove it and run `dvc repro`."
        )
    return replace(found, texts=read_texts(CLEAN / name / f"{split}.parquet", found.ids)) if raw else found


@cache  # the runs of a cell share the fingerprints of its texts
def folded_corpus(name: str, kind: Kind, folds: int, *, raw: bool) -> FoldedCorpus:
    """Return a tagged corpus that is split into folds."""
    splits = [split_of(name, split, raw=raw) for split in SPLITS]
    return FoldedCorpus(splits, kind, folds, grouped=corpus(name).grouped)


def vectors_of_run(folder: Path, fold: Fold | None) -> Path:
    """Return the folder of the word vectors that a run reads: that of its fold, if each fold has its own."""
    return folder / fold.name if fold and own_vectors(folder, fold) else folder


def own_vectors(folder: Path, fold: Fold) -> list[Path]:
    """Return the folders of the word vectors of all folds; none if all folds share one set.

    Raises: InputError if the vectors belong to other folds.
    """
    wanted = [folder / Fold(fold.kind, fold.folds, number).name for number in range(1, fold.folds + 1)]
    found = sorted(folder.glob("fold-*"))
    if not found:
        return []
    if sorted(wanted) != found or fold.kind != "dev":
        raise InputError(
            f"{folder} contains word vectors of {len(found)} dev folds, but the run is of fold {fold.label}; "
            "give the pool the same number of `folds` in params.yaml and run `dvc repro`."
        )
    return wanted


def data_of_run(parameters: Mapping[str, Any], tagged: Path, vectors: Path) -> str:
    """Return the digest of all data that a run reads, from the data or, if not available locally, the lock file.

    Parts of speech and raw characters count only if the model reads them. If each fold has its own word vectors, the
    digest covers those of all folds, so that the runs of a cell share it.

    Raises: FileNotFoundError if the data are neither available locally nor in the lock file.
    """
    fold = Fold.of_parameters(parameters["corpus"])
    folders = (own_vectors(vectors, fold) if fold else []) or [vectors]
    names = [folder.relative_to(vectors.parent).as_posix() for folder in folders]
    if fold and not vectors.exists():  # the lock file says whether each fold has its own vectors
        names = sorted(name for name in read_lock(DIGESTS)["vectors"] if name.startswith(f"{vectors.name}/")) or names
        folders = [vectors.parent / name for name in names]
    of_vectors = [known_digest("vectors", *pair, vectors_digest) for pair in zip(folders, names, strict=True)]
    raw = parameters["embedding"]["unit"] == RAW
    of_raw = [known_digest("raw", tagged, tagged.name, raw_digest)] if raw else []
    if "parts" in read_beside_words(parameters["model"]["name"]):
        of_texts = digest_with_parts(tagged)
    else:
        of_texts = known_digest("tokens", tagged, tagged.name, tokens_digest)
    return sha256_of_value([of_texts, *of_vectors, *of_raw])


def digest_with_parts(tagged: Path) -> str:
    """Return the digest of tokens and parts of speech: of local data that have both, else the lock file's.

    A corpus that was tagged without parts, as in a scale whose tables do not use them, says nothing about those of
    another scale; but its tokens have to be those of the lock file.

    Raises: FileNotFoundError if neither is available.
    """
    lock = read_lock(DIGESTS)
    locked = lock["texts"].get(tagged.name)
    try:
        found, tokens = texts_digest(tagged), tokens_digest(tagged)
    except FileNotFoundError:
        if locked is None:
            raise
        return locked
    if found != tokens:
        return found
    if locked is None or lock["tokens"].get(tagged.name) != tokens:
        raise FileNotFoundError(2, "tagged without parts of speech", str(tagged))
    return locked


def known_digest(kind: DataKind, folder: Path, name: str, digest_of: Callable[[Path], str]) -> str:
    """Return the digest of local data, else that in the lock file. Raises: FileNotFoundError if both are missing."""
    try:
        return digest_of(folder)
    except FileNotFoundError:
        locked = read_lock(DIGESTS)[kind].get(name)
        if locked is None:
            raise
        return locked


def folded_corpora(papers: Mapping[str, Any]) -> set[str]:
    """Return the corpora that a paper of this scale cuts into folds.

    Args:
        papers: the section of params.yaml.
    """
    return {
        str(column.corpus)
        for name in PAPERS
        for table in paper(name).results
        for column in table.columns
        if name in papers and fold_count(column, papers[name])
    }


def check_folds(protocol: Mapping[str, Any], source: Paper, corpora: Collection[str], where: str) -> None:
    """Refuse folds of an unknown corpus or one that the paper does not cut, and an invalid number of folds.

    Args:
        protocol: papers.<paper>.
        corpora: those of the scale.
        where: the section, for the error message.
    """
    folds = protocol["folds"]
    if not isinstance(folds, dict):
        raise InputError(f"folds of {where} is {folds!r}; allowed: {{}} or {{corpus: number}}, such as {{r8: 3}}.")
    cut = {column.corpus for table in source.results for column in table.columns if column.folds}
    for name, count in folds.items():
        if name not in corpora:
            raise unknown_name(f"corpus of folds of {where}", name, corpora)
        if name not in cut:
            allowed = ", ".join(sorted(filter(None, cut))) or "none"
            raise InputError(f"folds of {where} has {name}, which {source.name} does not cut; allowed: {allowed}.")
        if not is_fold_count(count):
            raise InputError(f"folds.{name} of {where} is {shown(count)}; allowed: 0 (none), or 2 to {MOST_FOLDS}.")


def is_fold_count(count: object) -> bool:
    """Return whether a corpus can be cut into so many folds; 0 is none."""
    return type(count) is int and (count == 0 or 2 <= count <= MOST_FOLDS)


def check_folds_of_pool(name: str, pool: Mapping[str, Any]) -> None:
    """Refuse folds of a pool that is not one corpus's training texts, and an invalid number of folds."""
    folds = pool.get("folds", 0)
    if not is_fold_count(folds):
        raise InputError(
            f"pools.{name}.folds is {shown(folds)} in params.yaml; allowed: 0 (none), or 2 to {MOST_FOLDS}."
        )
    if folds and (len(pool["corpora"]) > 1 or pool.get("unlabelled") or corpus(pool["corpora"][0]).domains):
        raise InputError(
            f"pools.{name} in params.yaml has folds, so it must contain the training texts of one corpus that is "
            "not joint; make one pool per corpus, without `unlabelled`."
        )


def check_fold_vectors(params: Mapping[str, Any], name: str, vectors: str, fold: Fold | None, where: str) -> None:
    """Refuse word vectors that were trained on texts that a fold holds out.

    Args:
        params: params.yaml.
        name, vectors: the cell's corpus and word vectors.
        fold: one of its folds; None if the corpus is not cut.
        where: the cell, for the error message.
    """
    if fold is None or vectors == "none":
        return
    pool = Path(params["vectors"][vectors]["source"]).name
    asked = params["pools"].get(pool, {})
    if name not in asked.get("corpora", []):
        if asked.get("folds"):
            raise InputError(f"the vectors {vectors}{where} are of folds of {asked['corpora'][0]}; choose others.")
        return
    if fold.kind == "dev" and asked.get("folds") == fold.folds:
        return
    way = (
        f"set pools.{pool}.folds to {fold.folds}, or choose vectors of a pool without {name}"
        if fold.kind == "dev" and asked["corpora"] == [name]
        else f"choose vectors of a pool without {name}"
    )
    raise InputError(
        f"{name} is split into {fold.folds} {fold.kind} folds{where}, but its vectors {vectors} include texts that "
        f"they hold out (pools.{pool} in params.yaml); {way}."
    )
