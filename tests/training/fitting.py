"""`fit` with options and progress as keywords."""

from dataclasses import fields

from retable.training import fit as fitting
from retable.training.history import History
from retable.training.options import Progress, Training


def fit(network, train, dev, **options) -> History:
    of_progress = {each.name: options.pop(each.name) for each in fields(Progress) if each.name in options}
    of_loop = {each.name: options.pop(each.name) for each in fields(Training) if each.name in options}
    return fitting.fit(network, train, dev, Training(**of_loop), progress=Progress(**of_progress), **options)
