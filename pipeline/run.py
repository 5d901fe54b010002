"""Run a cell of a table: its row's model on its column's corpus, once for every seed.

In   data/tagged/<corpus>/, data/vectors/<name>/, data/code/<table>.<row>, params.yaml (papers.<paper>)
Out  results/runs/<table>/<row>/<column>/<seed>/{metrics.json,cost.json,curve.csv,predictions.parquet}, and
     model/ of the rows whose weights are kept
"""

import argparse
import sys
from pathlib import Path

from pipeline.command import command
from pipeline.launch import joined_ranks, start_under_launcher
from pipeline.params import load_yaml, read_params
from pipeline.paths import CODE, PARAMS, ROOT, RUNS, TAGGED, VECTORS
from pipeline.resuming import Kept, results_folder
from pipeline.running import display, evaluate_into, identity, show_line
from pipeline.scale import model_preset
from retable.errors import InputError, unknown_name
from retable.models import LINEAR_MODELS
from retable.papers import paper_of_table
from retable.papers.parameters import row_parameters
from retable.text.splits import read_split
from retable.training.parallel import ALONE, Ranks
from retable.training.run import train_classifier
from retable.vectors.store import read_vectors


@command
def main() -> None:
    parser = argparse.ArgumentParser(description="Run a cell of a table.")
    for name in ("table", "row", "column"):
        parser.add_argument(name)
    arguments = parser.parse_args()
    paper = paper_of_table(arguments.table)
    cells = load_yaml(ROOT / f"pipeline/{paper.name}/cells.yaml").get(paper.result_table(arguments.table).name) or {}
    name = f"{arguments.row}.{arguments.column}"
    if name not in cells:
        raise unknown_name(f"the cell of {arguments.table}", name, cells)
    cell = cells[name]
    start_under_launcher("pipeline.run", sys.argv[1:])
    with joined_ranks() as ranks:
        if cell["model"] in LINEAR_MODELS:  # one process trains it
            if not ranks.first:
                return
            ranks = ALONE
        with results_folder(RUNS / arguments.table / arguments.row / arguments.column, ranks) as folder:
            seeds = load_yaml(PARAMS)["papers"][paper.name]["seeds"]
            kept = [run_seed(folder / str(seed), arguments.table, cell, seed, ranks) for seed in seeds]
        for each in kept:
            each.forget()


def run_seed(folder: Path, table: str, cell: dict[str, str], seed: int, ranks: Ranks = ALONE) -> Kept:
    """One run of a cell into its folder; what is kept of it until the cell is complete."""
    paper = paper_of_table(table)
    asked = paper.result_table(table)
    parameters = row_parameters(
        model_preset(cell["model"]),
        asked.row(cell["row"]),
        asked.column(cell["column"]),
        read_params("papers")[paper.name],
        vectors=cell["vectors"],
        seed=seed,
    )
    code = CODE / f"{table}.{cell['row']}"
    if not code.exists():
        raise InputError(f"{code} is missing; `dvc repro code` or `python -m pipeline.code` makes it.")
    tagged, vectors = TAGGED / cell["corpus"], read_vectors(VECTORS / cell["vectors"])
    train, dev = read_split(tagged, "train"), read_split(tagged, "dev")
    facts = {
        "paper": paper.name,
        "table": table,
        "row": cell["row"],
        "column": cell["column"],
        "scale": read_params("scale"),
    }
    facts |= identity(parameters, tagged, VECTORS / cell["vectors"], code)
    kept = Kept(facts["key"], ranks)
    if kept.take_finished(folder):
        return kept
    what = f"{table} · {cell['row']} · {cell['column']} · seed {seed}"
    with display(what, parameters, train, shown=ranks.first) as bar:
        trained = train_classifier(
            parameters,
            train,
            dev,
            vectors,
            state=kept.state(bar),
            ranks=ranks,
            on_batch=lambda epoch, words: bar.advance(words, f"epoch {epoch}"),
            on_line=lambda line: show_line(bar, line),
        )
        bar.finish()
    folder.mkdir(parents=True)
    if cell["row"] in read_params("papers")[paper.name]["keep_weights"]:
        (folder / "model").mkdir()
        trained.classifier.save(folder / "model")
    evaluate_into(folder, trained, facts, train, dev, read_split(tagged, "test"), vectors)
    kept.keep_finished(folder)
    return kept


if __name__ == "__main__":
    main()
