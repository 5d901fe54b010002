"""The score on dev that chooses an epoch or a setting."""


def choosing_score(
    accuracy: float, mean_average_precision: float | None = None, correlation: float | None = None
) -> float:
    """Return mean average precision on a ranked corpus, Pearson's correlation on a graded one, else accuracy.

    Few candidates answer their question, so accuracy is near that of never saying that one does. A grade that is the
    nearest of an answer is as wrong if the answer was near as if it was far.
    """
    if mean_average_precision is not None:
        return mean_average_precision
    return accuracy if correlation is None else correlation
