"""Tables and predictions for other programs, from a made-up bank on SST-2."""

import csv
import json

import pyarrow.parquet as pq
import pytest

from retable.commands import export as command
from retable.papers import result_tables
from retable.results.export_bank import FILES, write_bank
from retable.results.export_tables import FORMATS, escaped, exported
from retable.results.resolving import Resolver
from retable.results.tables import all_tables
from tests.results.records import answers, plan, run

PLAN, TABLE = plan(), "fcsr-table-3"


@pytest.fixture
def runs(tmp_path):
    """Return a bank with a linear model, and one trained again with other parameters."""
    found = []
    for row, right in (("nb-svm", 80), ("tfidf-svm", 75)):
        path = answers(tmp_path / f"{row}.parquet", right, prefix="sst-2/test")
        found.append(run(PLAN, TABLE, row, "sst-2", right=right / 100, predictions=path))
    old = run(PLAN, TABLE, "tfidf-svm", "sst-2", right=0.75, predictions=path, data="others")
    return [*found, old]


@pytest.fixture
def table(runs):
    (found,) = exported([TABLE], Resolver(PLAN, runs, beyond=True), {})
    return found


def written(form, table, folder):
    suffix, write = FORMATS[form]
    path = folder / f"table.{suffix}"
    write(path, table)
    return path


def test_every_form_holds_the_same_measured_and_printed_numbers(table, tmp_path):
    wanted = ("80.00", "80.80")  # NB-SVM measured on SST-2; FCSR as printed there
    rows = list(csv.DictReader(written("csv", table, tmp_path).open()))
    parquet = pq.read_table(written("parquet", table, tmp_path))
    cells = json.loads(written("json", table, tmp_path).read_text())["cells"]
    latex = written("latex", table, tmp_path).read_text()
    page = written("markdown", table, tmp_path).read_text()
    assert len(rows) == parquet.num_rows == len(cells) == len(table.lines)
    (ours,) = [cell for cell in cells if (cell["row"], cell["column"]) == ("nb-svm", "sst-2")]
    assert (ours["measured"], ours["published"], ours["unit"]) == (80.0, None, "%")
    assert {row["measured"] for row in rows} == {"", "80.00", "75.00"}
    assert parquet.to_pylist() == cells
    assert parquet.schema.metadata[b"title"] == table.table.title.encode()
    (line,) = [line for line in latex.splitlines() if line.startswith("NB-SVM ")]
    assert line == r"NB-SVM & -- & -- & -- & 80.00 & -- & -- \\"
    (line,) = [line for line in latex.splitlines() if line.startswith("FCSR &")]
    assert r"-- \textit{80.8} &" in line
    assert f"**{wanted[0]}**" in page


def test_latex_has_as_many_cells_in_every_line_and_none_of_its_own_signs(table, tmp_path):
    lines = [line for line in written("latex", table, tmp_path).read_text().splitlines() if line.endswith(r"\\")]
    assert len({line.count(" & ") for line in lines}) == 1
    assert escaped("50% of a_b & {c}") == r"50\% of a\_b \& \{c\}"


def test_latex_knows_every_character_in_the_name_of_a_row_or_column():
    named = [escaped(each.printed) for table in result_tables() for each in (*table.rows, *table.columns)]
    assert not {character for name in named for character in name if ord(character) > 0x17F}  # beyond Latin letters


def test_a_misspelt_table_gets_the_nearest_and_an_unmeasured_one_is_left_out(runs):
    with pytest.raises(ValueError, match='did you mean "fcsr-table-3"'):
        list(exported(["fcsr-tabel-3"], Resolver(PLAN, runs, beyond=True), {}))
    resolver = Resolver(PLAN, runs, beyond=True)
    of_scores = [each.table.name for each in exported([], resolver, {}) if each.table.name.startswith("lama-figure")]
    assert TABLE in [table.name for table in all_tables()]
    assert not of_scores


def test_all_predictions_are_one_file_with_the_runs_beside_it(runs, tmp_path):
    write_bank(tmp_path / "bank", Resolver(PLAN, runs, beyond=True), runs, "1.0")
    found, of_runs = (pq.read_table(tmp_path / f"bank/{name}.parquet") for name in ("predictions", "runs"))
    for file, table in zip(FILES[:2], (found, of_runs), strict=True):
        assert table.column_names == [column.name for column in file.columns]
    assert found.num_rows == 300
    assert "text" not in found.column_names
    lines = found.to_pylist()
    own = [line for line in lines if line["run"] == "fcsr-table-3/nb-svm"]
    assert sum(line["label"] == line["predicted"] for line in own) == 80
    assert own[3]["id"] == "sst-2/test/3"
    assert own[3]["probabilities"] == pytest.approx([0.2, 0.8], abs=1e-3)
    assert of_runs.column("current").to_pylist() == [True, True, False]
    assert of_runs.column("labels").to_pylist()[0] == ["no", "yes"]


def test_the_metadata_name_every_file_with_its_digest_and_every_column(runs, tmp_path):
    write_bank(tmp_path / "bank", Resolver(PLAN, runs, beyond=True), runs, "1.0")
    croissant, crate = (
        json.loads((tmp_path / "bank" / name).read_text()) for name in ("croissant.json", "ro-crate-metadata.json")
    )
    digests = {each["contentUrl"]: each["sha256"] for each in croissant["distribution"]}
    assert "sha256" in crate["@context"][1]  # RO-Crate's own context lacks it, and its validator refuses the crate
    for entity in crate["@graph"]:
        if entity["@id"] in digests:
            assert entity["sha256"] == digests[entity["@id"]]
    named = {part["@id"] for part in crate["@graph"][1]["hasPart"]}
    assert named | {"ro-crate-metadata.json"} == {path.name for path in (tmp_path / "bank").iterdir()}
    for records, name in zip(croissant["recordSet"], ("predictions", "runs"), strict=True):
        columns = pq.read_schema(tmp_path / f"bank/{name}.parquet").names
        assert [each["source"]["extract"]["column"] for each in records["field"]] == columns
    card = (tmp_path / "bank/README.md").read_text()
    assert "| `sst-2` | 3 | 300 |" in card
    assert "`current` marks the 2 that" in card


def test_a_second_export_gives_the_same_bytes(runs, tmp_path):
    for name in ("one", "other"):
        write_bank(tmp_path / name, Resolver(PLAN, runs, beyond=True), runs, "1.0")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes()


def test_a_folder_with_other_files_is_not_replaced(tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(SystemExit):
        command.main(["--bank", str(tmp_path)])
    assert "contains mine.txt, which is not a file of an exported bank" in capsys.readouterr().err
