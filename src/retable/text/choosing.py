"""The score on dev that chooses an epoch or a setting."""


def choosing_score(
    accuracy: float, mean_average_precision: float | None = None, correlation: float | None = None
) -> float:
    """Return mean average precision on a ranked corpus, Pearson's correlation on a graded one, else accuracy.

    Few candidates answer their question, so accuracy is near that of never saying that one does. The nearest grade is
    right or wrong, however near the answer was.
    """
    if mean_average_precision is not None:
        return mean_average_precision
    return accuracy if correlation is None else correlation
