"""Measure whether the interval of a ten-fold comparison is wide enough although its folds share training texts.

    python -m benchmarks.folds [--corpus ag-news-65k] [--texts 2000] [--sets 25] [--models nb-svm tfidf-svm ...]

The training texts of a corpus are split into sets that share no text. On each set every model is trained and tested
fold by fold, with its preset and without pretrained word vectors; networks use a different seed per fold. The
difference of two models then varies between sets as if the corpus were drawn again: that variance is compared with
the one that `compare_units` computes from a single set. The last columns show how often a set is decided against the
mean of all sets; "corrected" uses Nadeau and Bengio's variance (docs/protocol.md, rule 1).

In   data/tagged/<corpus>/train.parquet (`dvc repro tag@ag-news-65k`)
"""

import argparse
from itertools import combinations

import numpy as np
from scipy.stats import t as student

from retable.experiments.scale import model_preset
from retable.project.paths import TAGGED
from retable.project.progress import progress
from retable.tables.comparison import LEVEL, compare_units
from retable.text.folds import FoldedCorpus, held_out_ratio, part
from retable.text.splits import Split, read_split
from retable.training.run import train_classifier
from retable.vectors.store import NO_VECTORS

FOLDS = 10
CORRECTED = 1 + FOLDS * held_out_ratio(FOLDS)  # for the variance of a mean over folds
HEADER = "pair | difference, points | sd over sets | standard error of a set | ratio of variances | decided | corrected"


def right(model: str, seed: int, train: Split, dev: Split, test: Split) -> np.ndarray:
    """Return which test texts a model's preset, which reads words only, answers correctly."""
    preset = model_preset(model)
    parameters = {name: dict(preset[name]) for name in ("model", "embedding", "training")}
    parameters["embedding"]["vectors"] = "none"
    parameters |= {"corpus": {"name": train.facts.corpus}, "seed": seed, "device": "cpu", "precision": "float32"}
    found = train_classifier(parameters, train, dev, NO_VECTORS).classifier
    return found.probabilities(test).argmax(axis=1) == test.classes


def line(pair: tuple[str, str], first: np.ndarray, second: np.ndarray, texts: int) -> str:
    """Return what two models' accuracies, (set, fold), show about the intervals."""
    found = [compare_units(one[None], other[None], texts) for one, other in zip(first, second, strict=True)]
    values, errors = np.array([each.value for each in found]), np.array([each.error for each in found])
    limit = student.ppf(1 - LEVEL / 2, FOLDS - 1)
    far = np.abs(values - values.mean()) / errors
    ratio = values.var(ddof=1) / (errors**2).mean()
    cells = (
        " - ".join(pair), f"{100 * values.mean():+.2f}", f"{100 * values.std(ddof=1):.2f}",
        f"{100 * (errors**2).mean() ** 0.5:.2f}", f"{ratio:.2f}", f"{(far > limit).mean():.3f}",
        f"{(far > limit * CORRECTED**0.5).mean():.3f}",
    )  # fmt: skip
    return " | ".join(cells)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.folds", description=__doc__)
    parser.add_argument("--corpus", default="ag-news-65k")
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--sets", type=int, default=25)
    parser.add_argument("--models", nargs="+", default=["nb-svm", "tfidf-svm", "fasttext", "avg-embedding"])
    options = parser.parse_args()
    whole = read_split(TAGGED / options.corpus, "train")
    order = np.random.default_rng(1).permutation(len(whole.ids))
    sets = min(options.sets, len(order) // options.texts)
    found = np.zeros((len(options.models), sets, FOLDS))
    with progress(f"folds of {options.corpus}", found.size, "trainings") as bar:
        for number in range(sets):
            places = np.sort(order[number * options.texts : (number + 1) * options.texts])
            texts, none = part(whole, places), part(whole, places[:0])
            corpus = FoldedCorpus([texts, none, none], "test", FOLDS)
            for fold in range(FOLDS):
                train, dev, test = (part(texts, at) for at in corpus.places(fold + 1).values())
                for row, model in enumerate(options.models):
                    found[row, number, fold] = right(model, 1 + FOLDS * number + fold, train, dev, test).mean()
                    bar.advance(1)
    print(f"{options.corpus}: {sets} sets of {options.texts:,} texts; decided: of 1, around the mean of all sets")
    print(HEADER)
    for one, other in combinations(range(len(options.models)), 2):
        print(line((options.models[one], options.models[other]), found[one], found[other], options.texts))


if __name__ == "__main__":
    main()
