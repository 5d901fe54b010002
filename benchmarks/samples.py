"""Measure what a comparison without folds leaves out: that other training texts might have been drawn.

    python -m benchmarks.samples [--corpus ag-news-65k] [--texts 5000] [--dev 500] [--models nb-svm tfidf-svm ...]

The training texts of a corpus are split into samples that share no text. Every model is trained on each, with its
preset and without pretrained word vectors, and answers the corpus's own test texts. The standard deviation of the
difference of two models over the samples stands beside the standard error that `compare` gives a single sample, and
`held` is the share of samples whose 95% interval holds the mean of all: less than 0.95, as training texts are not in it
(docs/protocol.md, rule 1). Only models that do not depend on a seed: of others, the runs' part is in it.

In   data/tagged/<corpus>/ (`dvc repro tag@ag-news-65k`)
"""

import argparse
from collections import Counter
from itertools import combinations

import numpy as np

from benchmarks.folds import right
from retable.models import is_seedless
from retable.project.paths import TAGGED
from retable.project.progress import progress
from retable.tables.comparison import compare
from retable.text.folds import part
from retable.text.splits import read_split

HEADER = "pair | difference, points | sd over samples | standard error of a sample | held | verdicts of the samples"


def line(pair: tuple[str, str], first: np.ndarray, second: np.ndarray) -> str:
    """Return what two models' answers, (sample, text), show about the intervals."""
    found = [compare(one[None], other[None], seedless=(True, True)) for one, other in zip(first, second, strict=True)]
    values = np.array([each.value for each in found])
    error = np.mean([each.error**2 for each in found]) ** 0.5
    held = np.mean([low <= values.mean() <= high for low, high in (each.interval() for each in found)])
    said = ", ".join(f"{count} {verdict}" for verdict, count in Counter(each.verdict for each in found).most_common())
    numbers = f"{100 * values.mean():+.2f} | {100 * values.std(ddof=1):.2f} | {100 * error:.2f} | {held:.2f}"
    return f"{' - '.join(pair)} | {numbers} | {said}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.samples", description=__doc__)
    parser.add_argument("--corpus", default="ag-news-65k")
    parser.add_argument("--texts", type=int, default=5000)
    parser.add_argument("--dev", type=int, default=500)
    parser.add_argument("--models", nargs="+", default=["nb-svm", "tfidf-svm", "naive-bayes", "bow-svm"])
    options = parser.parse_args()
    if seeded := [name for name in options.models if not is_seedless(name)]:
        parser.error(f"{seeded[0]} depends on its seed; allowed: models that do not")
    whole, test = (read_split(TAGGED / options.corpus, split) for split in ("train", "test"))
    size, order = options.texts + options.dev, np.random.default_rng(1).permutation(len(whole.ids))
    samples = len(order) // size
    found = np.zeros((len(options.models), samples, len(test.ids)))
    with progress(f"samples of {options.corpus}", samples * len(options.models), "trainings") as bar:
        for number in range(samples):
            places = order[number * size : (number + 1) * size]
            train, dev = (part(whole, np.sort(at)) for at in np.split(places, [options.texts]))
            for row, model in enumerate(options.models):
                found[row, number] = right(model, 1, train, dev, test)
                bar.advance(1)
    print(f"{options.corpus}: {samples} samples of {options.texts:,} texts, {len(test.ids):,} test texts")
    print(HEADER)
    for one, other in combinations(range(len(options.models)), 2):
        print(line((options.models[one], options.models[other]), found[one], found[other]))


if __name__ == "__main__":
    main()
