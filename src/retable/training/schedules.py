"""Learning rate as a function of time, measured in epochs (with fractions within an epoch)."""

from collections.abc import Callable
from typing import Literal

Schedule = Literal["constant", "fcsr", "halving", "linear", "steps", "warmup"]
HALVED_AFTER = 15_000  # batches, or three epochs if these are more


def learning_rates(schedule: Schedule, learning_rate: float, epochs_max: int, batches: int) -> Callable[[float], float]:
    """Return the learning rate as a function of time.

    Args:
        schedule: constant; fcsr (FCSR eq. 16, falls after each epoch, faster than exponentially); halving (half of it
            after every 15,000 batches or three epochs, whichever is longer, 10 times: Zhang, Zhao and LeCun 2015,
            section 2.1, "every 3 epoches", by table 3 of 5,000 batches each, or 10,000 and 30,000, about one pass, for
            the largest corpora); linear (to zero at `epochs_max`, as in fastText); steps (a tenth of it from two
            thirds, a hundredth from five sixths of `epochs_max` on: CSPAN section 3.2, epochs 20 and 25 of 30); warmup
            (rises from zero during the first epoch, then constant).
        learning_rate: the initial rate; for warmup, the rate after the first epoch.
        epochs_max: length of the schedule in epochs. A shorter run cuts it off and never compresses it.
        batches: number of batches of an epoch.
    Returns: a function of the time in epochs.
    """
    if schedule == "constant":
        return lambda time: learning_rate
    if schedule == "warmup":
        return lambda time: learning_rate * min(1.0, time)
    if schedule == "halving":
        return lambda time: learning_rate * 0.5 ** min(time * batches // max(HALVED_AFTER, 3 * batches), 10)
    if schedule == "linear":
        return lambda time: learning_rate * max(0.0, 1.0 - time / epochs_max)
    if schedule == "steps":
        return lambda time: learning_rate * 0.1 ** sum(time >= share * epochs_max / 6 for share in (4, 5))
    rates = fcsr_rates(learning_rate, epochs_max)
    return lambda time: rates[min(int(time), epochs_max - 1)]


def fcsr_rates(learning_rate: float, epochs_max: int) -> list[float]:
    """Return the rate of each epoch, by the recursion as printed. Source: FCSR, eq. 16."""
    rates = [learning_rate]
    for epoch in range(epochs_max - 1):
        rates.append(0.8 * rates[-1] * 0.01 ** ((epoch + 0.01) / (epochs_max + 0.01)))
    return rates
