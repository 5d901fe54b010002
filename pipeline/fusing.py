"""The runs of a cell trained fused, as one batched model (retable.training.fused), where papers.<paper>.fused asks.

`fused` is the number of runs that are trained together at most; 0, or a section without it, trains one after the other.
It is no part of who a run is: the results are those of the runs alone within rounding. metrics.json and cost.json say
`fused`, how many were trained together; times and joules are then a run's share of those of all, memory is that of all.
"""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import retable
from pipeline.folding import Planned, splits_of_run, vectors_of_run
from pipeline.paths import VECTORS
from pipeline.progress import progress
from pipeline.resuming import Kept
from pipeline.run import device_of, facts_of_run, make_folder
from pipeline.running import evaluate_into, note_of_line
from retable.errors import InputError
from retable.evaluation.energy import gpu_of, metered
from retable.files import sha256_of_value
from retable.provenance import module_digests
from retable.text.units import in_unit
from retable.training.fused.run import Asked, train_classifiers
from retable.training.fused.ways import why_alone
from retable.training.parallel import ALONE, Ranks
from retable.vectors.store import read_vectors

SOURCE = Path(retable.__file__).parents[1]


def groups_of(planned: Sequence[Planned], most: int, model: Mapping[str, Any], ranks: Ranks) -> list[list[Planned]]:
    """The runs of a cell that are trained together, in groups of about equal size; none where each is trained alone.

    Args:
        most: runs in a group.
        model: the section of the cell's runs.
        ranks: the processes of this command.
    Raises: InputError if there are several.
    """
    reason = why_alone(model)
    if reason:
        print(f"the runs of {model['name']} are trained one after the other: {reason}", file=sys.stderr)
        return []
    if ranks.size > 1:
        raise InputError(
            f"`fused` is {most} in params.yaml, and the launcher started {ranks.size} processes; runs that are trained "
            "fused share one: unset RETABLE_LAUNCHER, or remove `fused`."
        )
    count = math.ceil(len(planned) / most)
    return [[planned[place] for place in places] for places in np.array_split(np.arange(len(planned)), count)]


def run_group(folder: Path, table: str, cell: dict[str, str], planned: Sequence[Planned]) -> list[Kept]:
    """Runs of a cell into their folders below `folder`; what is kept of them until the cell is complete.

    Their training keeps its state as one, under a key of all of them: it goes on if the same runs are left to do.
    """
    facts = [facts_of_run(table, cell, each) for each in planned]
    kept = [Kept(each["key"], ALONE) for each in facts]
    left = [place for place, each in enumerate(kept) if not each.take_finished(folder / planned[place].name)]
    if not left:
        return kept
    group = Kept(key_of_group([facts[place]["key"] for place in left]), ALONE)
    run_together(folder, cell, [planned[place] for place in left], [facts[place] for place in left], group)
    for place in left:
        kept[place].keep_finished(folder / planned[place].name)
    group.forget()
    return kept


def key_of_group(keys: Sequence[str]) -> str:
    """The hash of the runs' keys and of the code that trains them together."""
    return sha256_of_value([*keys, module_digests(["retable.training.fused.run"], SOURCE)])


def run_together(
    folder: Path, cell: dict[str, str], planned: Sequence[Planned], facts: Sequence[dict[str, Any]], group: Kept
) -> None:
    """Train runs as one and write their folders."""
    splits = {each.fold: splits_of_run(cell["corpus"], each.fold) for each in planned}
    vectors = {each.fold: read_vectors(vectors_of_run(VECTORS / cell["vectors"], each.fold)) for each in planned}
    asked = [
        Asked(its["parameters"], *splits[each.fold][:2], vectors[each.fold])
        for its, each in zip(facts, planned, strict=True)
    ]
    first = facts[0]
    what = f"{first['table']} · {first['row']} · {first['column']} · {len(planned)} runs"
    with metered(gpu_of(device_of(first["parameters"]))) as meter, progress(what, *work_of(asked)) as bar:
        all_trained = train_classifiers(
            asked,
            state=group.state(bar),
            on_batch=lambda run, epoch, words: bar.advance(words, f"epoch {epoch}"),
            on_line=lambda run, line: bar.advance(0, f"{planned[run].name}: {note_of_line(line)}"),
        )
        bar.finish()
    joules = {name: None if all_ is None else all_ / len(planned) for name, all_ in meter.cost().items()}
    for trained, its, each, given in zip(all_trained, facts, planned, asked, strict=True):
        trained = replace(trained, cost=trained.cost | joules)
        make_folder(folder / each.name, trained, its)
        test = splits[each.fold][2]()
        its = its | {"fused": len(planned)}
        evaluate_into(folder / each.name, trained, its, given.train, given.dev, test, given.vectors)


def work_of(asked: Sequence[Asked]) -> tuple[int, str]:
    """Words of all epochs that may be run, or characters, and which of the two."""
    unit = asked[0].parameters["embedding"]["unit"]
    epochs = asked[0].parameters["training"]["epochs"]
    return epochs * sum(len(in_unit(each.train, unit).tokens.flatten()) for each in asked), unit
