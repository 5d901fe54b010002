"""Folds of a cell: its runs, their data, the vectors they may use; and unchanged results for runs without folds."""

import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from retable.errors import InputError
from retable.experiments import cells, embedding, run_checks
from retable.experiments import folds as folding
from retable.experiments import identity as running
from retable.experiments.folds import (
    Planned,
    folded_corpora,
    own_vectors,
    planned_runs,
    vectors_of_run,
)
from retable.experiments.scale import model_preset, scale_preset
from retable.files import read_json, sha256_of_value, write_json
from retable.papers import PAPERS, paper
from retable.papers.floors import OWN_SPLIT
from retable.papers.parameters import folding_of, folds_of, row_parameters, serves
from retable.stages import embed, pool
from retable.text.folds import Fold, FoldedCorpus
from retable.text.leaks.leakage import digest
from retable.text.splits import SPLITS, Facts, read_split, tagged_schema
from retable.vectors.store import read_vectors

LAMA = paper("lama").result_table("lama-table-4")
PROTOCOL = {
    "seeds": [1, 2], "folds": {"r8": 3}, "epochs": 0, "device": "cpu", "precision": "float32",
    "keep_weights": [],
}  # fmt: skip


class TestRunsOfACell:
    def test_one_for_every_seed_and_fold(self):
        runs = planned_runs(LAMA.row("lama"), LAMA.column("r8"), PROTOCOL)
        assert runs == [(seed, Fold("dev", 3, fold)) for seed in (1, 2) for fold in (1, 2, 3)]
        assert runs[4] == Planned(2, Fold("dev", 3, 2))
        assert runs[4].label == "2, fold 2 of 3"

    def test_one_for_every_seed_of_a_corpus_that_is_not_cut(self):
        assert planned_runs(LAMA.row("lama"), LAMA.column("imdb"), PROTOCOL) == [(1, None), (2, None)]
        uncut = PROTOCOL | {"folds": {"r8": 0}}
        assert planned_runs(LAMA.row("lama"), LAMA.column("r8"), uncut) == [(1, None), (2, None)]

    def test_one_for_every_seed_in_a_table_whose_column_is_not_cut(self):
        figure = paper("lama").result_table("lama-figure-2")
        runs = planned_runs(figure.rows[0], figure.column("r8"), PROTOCOL)
        assert runs == [(1, None), (2, None)]

    @pytest.mark.parametrize(("row", "seeds"), [("nb-svm", [1]), ("fasttext", [1, 2])])
    def test_a_model_that_depends_on_no_seed_gets_one_for_every_fold(self, row, seeds):
        runs = planned_runs(LAMA.row(row), LAMA.column("r8"), PROTOCOL)
        assert runs == [(seed, Fold("dev", 3, fold)) for seed in seeds for fold in (1, 2, 3)]

    def test_its_parameters_name_the_fold(self):
        row, column = LAMA.row("lama"), LAMA.column("r8")
        given = {"vectors": "r8.word2vec-100", "seed": 1}
        plain = row_parameters(model_preset("lama"), row, column, PROTOCOL, **given)
        assert plain["corpus"] == {"name": "r8"}
        folded = row_parameters(model_preset("lama"), row, column, PROTOCOL, **given, fold=Fold("dev", 3, 2))
        assert folded["corpus"] == {"name": "r8", "folds": 3, "fold": 2, "kind": "dev"}
        assert folded | {"corpus": {}} == plain | {"corpus": {}}

    def test_runs_serve_columns_that_are_cut_alike_and_floors_those_of_dev_folds(self):
        own, dev, test = ("", 0), ("dev", 3), ("test", 10)
        assert all(serves(cut, cut, linear=False) for cut in (own, dev, test))
        assert [serves(own, cut, linear=True) for cut in (dev, test)] == [True, False]
        assert not any(serves(*pair, linear=False) for pair in ((own, dev), (dev, own), (own, test), (dev, ("dev", 2))))


class TestIdentity:
    """Parameters without the device, the contents of the arrays, and the recipe's major versions."""

    @pytest.fixture
    def data(self, tmp_path, monkeypatch):
        monkeypatch.setattr(folding, "DIGESTS", tmp_path / "digests.json")
        (tmp_path / "r8").mkdir()
        write_json(
            tmp_path / "r8/digest.json", {"texts": sha256_of_value("texts"), "tokens": sha256_of_value("the tokens")}
        )
        for folder in ("v", "v/fold-1-of-2", "v/fold-2-of-2"):
            (tmp_path / folder).mkdir()
            write_json(tmp_path / folder / "vectors.json", {"digest": sha256_of_value(folder)})
        return tmp_path

    def parameters(self, fold=None, **changes):
        row, column = LAMA.row("lama"), LAMA.column("r8")
        return row_parameters(model_preset("lama"), row, column, PROTOCOL | changes, vectors="v", seed=1, fold=fold)

    def identity(self, data, *of_run, **changes):
        return running.identity(self.parameters(*of_run, **changes), data / "r8", data / "v")

    def test_where_a_run_is_executed_is_no_part_of_it(self, data):
        assert self.identity(data, device="cpu")["hashes"] == self.identity(data, device="cuda")["hashes"]
        assert self.identity(data)["key"] != self.identity(data, precision="bfloat16")["key"]

    def test_the_recipe_names_every_unit_of_a_run_and_no_other(self, data):
        assert self.identity(data)["hashes"]["recipe"] == (
            "lama 1.0, batches 1.0, loop 1.0, optimiser-sgd 1.0, schedule-constant 1.0, scores 1.0, vocabulary 1.0"
        )
        assert ", folds 1.0, " in self.identity(data, Fold("dev", 2, 1))["hashes"]["recipe"]

    def test_folds_of_a_cell_share_their_data_and_not_their_parameters(self, data):
        one, two = (self.identity(data, Fold("dev", 2, number)) for number in (1, 2))
        assert (one["fold"], two["fold"]) == (1, 2)
        assert one["hashes"]["parameters"] != two["hashes"]["parameters"]
        assert one["hashes"]["data"] == two["hashes"]["data"] != self.identity(data)["hashes"]["data"]

    def test_other_vectors_of_any_fold_are_other_data(self, data):
        before = self.identity(data, Fold("dev", 2, 1))["hashes"]["data"]
        write_json(data / "v/fold-2-of-2/vectors.json", {"digest": sha256_of_value("others")})
        assert self.identity(data, Fold("dev", 2, 1))["hashes"]["data"] != before

    def test_without_data_the_lock_file_tells_what_they_are(self, data):
        known = self.identity(data)["hashes"]
        for name in ("r8/digest.json", "v/vectors.json"):
            (data / name).unlink()
        with pytest.raises(FileNotFoundError):
            self.identity(data)
        write_json(
            data / "digests.json",
            {"tokens": {"r8": sha256_of_value("the tokens")}, "vectors": {"v": sha256_of_value("v")}},
        )
        shutil.rmtree(data / "v")
        assert self.identity(data)["hashes"] == known

    def test_vectors_of_other_folds_are_refused(self, data):
        assert vectors_of_run(data / "v", Fold("dev", 2, 2)) == data / "v/fold-2-of-2"
        assert vectors_of_run(data / "v", None) == data / "v"
        assert vectors_of_run(data / "r8", Fold("dev", 2, 2)) == data / "r8"  # among other texts
        for fold in (Fold("dev", 3, 1), Fold("test", 2, 1)):
            with pytest.raises(
                InputError, match=f"contains word vectors of 2 dev folds, but the run is of fold {fold.label}"
            ):
                own_vectors(data / "v", fold)


class TestDeclarations:
    def test_only_accuracies_of_whole_corpora_are_cut(self):  # a mean over texts pools no other score
        for name in PAPERS:
            for table in paper(name).results:
                for column in table.columns:
                    if column.folds:
                        assert table.metric_of(column) == "accuracy"
                        assert column.corpus
                        assert (column.domain, column.mean_of, column.runs_of) == ("", (), "")
                        kept = (column.folds, column.split) == ("test", "paper") and column.corpus not in OWN_SPLIT
                        assert not kept, "a published test split stays"

    def test_the_scale_of_the_papers_has_their_folds(self):
        protocols = scale_preset("paper")["papers"]
        fcsr, transformer = paper("fcsr").results[0], paper("transformer-f").results[0]
        assert folding_of(fcsr.column("polarity"), protocols["fcsr"]) == ("test", 10)
        assert folding_of(fcsr.column("covid-sentiment"), protocols["fcsr"]) == ("test", 10)
        assert folding_of(fcsr.column("sst-2"), protocols["fcsr"]) == ("", 0)
        assert folding_of(transformer.column("mr"), protocols["transformer-f"]) == ("test", 10)
        assert {folding_of(LAMA.column(name), protocols["lama"]) for name in ("r8", "imdb")} == {("dev", 3)}

    @pytest.mark.parametrize(("name", "folded"), [("smoke", True), ("cpu", False), ("full", True), ("paper", True)])
    def test_every_scale_gives_its_folds_vectors_that_never_saw_what_they_hold_out(self, name, folded):
        preset, cut = scale_preset(name), 0
        for pool_name, asked in preset["pools"].items():
            folding.check_folds_of_pool(pool_name, asked)
        for source in map(paper, PAPERS):
            protocol = preset["papers"][source.name]
            folding.check_folds(protocol, source, preset["corpora"], name)
            for table in source.results:
                for cell in cells.cells_of(table, preset).values():
                    fold = folds_of(table.column(cell["column"]), protocol)[0]
                    folding.check_fold_vectors(preset, cell["corpus"], cell["vectors"], fold, table.name)
                    cut += fold is not None
        assert bool(cut) == folded


class TestRefusals:
    def params(self, **changes):
        params = scale_preset("paper")
        params["pools"] |= changes.pop("pools", {})
        params["vectors"] |= changes.pop("vectors", {})
        assert not changes
        return params

    @pytest.mark.parametrize(
        ("folds", "words"),
        [
            (3, r"folds of papers.lama is 3; allowed: {} or {corpus: number}"),
            ({"r9": 3}, 'unknown corpus of folds of papers.lama: "r9". Known: r8, sst-2'),
            ({"sst-2": 3}, "folds of papers.lama has sst-2, which lama does not cut; allowed: imdb, news"),
            ({"r8": 1}, "folds.r8 of papers.lama is 1; allowed: 0 "),
            ({"r8": True}, "folds.r8 of papers.lama is True"),
        ],
    )
    def test_folds_that_are_none(self, folds, words):
        with pytest.raises(InputError) as caught:
            folding.check_folds(PROTOCOL | {"folds": folds}, paper("lama"), ["r8", "sst-2"], "papers.lama")
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_a_protocol_without_folds_is_told_what_it_lacks(self):
        params = self.params()
        del params["papers"]["lama"]["folds"]
        with pytest.raises(InputError, match=r"it needs the keys .*folds"):
            run_checks.check_cells(params, paper("lama"))

    def check(self, params, vectors, fold, corpus="r8"):
        folding.check_fold_vectors(params, corpus, vectors, fold, " (cell lama.r8)")

    def test_vectors_of_texts_that_a_fold_holds_out(self):
        params = self.params(pools={"r8": {"corpora": ["r8"]}})
        self.check(params, "r8.word2vec-100", None)
        self.check(params, "pool-en.word2vec-300", Fold("dev", 3, 1))
        self.check(params, "none", Fold("dev", 3, 1))
        with pytest.raises(InputError, match=r"3 dev folds \(cell lama.r8\).* hold out .*set pools.r8.folds to 3"):
            self.check(params, "r8.word2vec-100", Fold("dev", 3, 1))
        self.check(self.params(), "r8.word2vec-100", Fold("dev", 3, 1))
        with pytest.raises(InputError, match=r"set pools.r8.folds to 5"):
            self.check(self.params(), "r8.word2vec-100", Fold("dev", 5, 1))
        with pytest.raises(
            InputError, match=r"hold out \(pools.r8 in params.yaml\); choose vectors of a pool without r8"
        ):
            self.check(self.params(), "r8.word2vec-100", Fold("test", 3, 1))
        with pytest.raises(InputError, match="are of folds of r8; choose others"):
            self.check(self.params(), "r8.word2vec-100", Fold("dev", 3, 1), "imdb")

    def test_a_pool_of_others_that_holds_the_corpus(self):
        params = self.params(pools={"pool-en": {"corpora": ["imdb", "mr"], "unlabelled": True}})
        with pytest.raises(InputError, match="choose vectors of a pool without mr"):
            self.check(params, "pool-en.word2vec-300", Fold("test", 10, 1), "mr")

    @pytest.mark.parametrize(
        ("asked", "words"),
        [
            ({"corpora": ["r8"], "folds": 1}, "pools.p.folds is 1 in params.yaml; allowed: 0"),
            ({"corpora": ["r8"], "folds": "3"}, "pools.p.folds is '3'"),
            ({"corpora": ["r8", "imdb"], "folds": 3}, "must contain the training texts of one corpus"),
            (
                {"corpora": ["fdu-imdb"], "folds": 3, "unlabelled": True},
                "must contain the training texts of one corpus",
            ),
        ],
    )
    def test_folds_of_a_pool_that_is_not_of_one_corpus(self, asked, words):
        with pytest.raises(InputError, match=words):
            folding.check_folds_of_pool("p", asked)


WORD2VEC = {
    "source": "pools/sample-en", "method": "word2vec", "algorithm": "cbow", "size": 4, "epochs": 1, "window": 5,
    "min_count": 1, "negative": 5, "sample": 0.01, "lowercase": True, "seed": 1,
}  # fmt: skip
PAPERS_OF_FOLDS = {"lama": {"folds": {"sample-en": 3}}, **{name: {"folds": {}} for name in PAPERS if name != "lama"}}


class TestVectorsOfFolds:
    """Twelve training texts, three dev, two test, each with a unique word; one dev text has a copy in train."""

    @pytest.fixture
    def root(self, tmp_path, monkeypatch):
        texts = {"train": [f"train{n} film" for n in range(12)], "dev": ["dev0 film", "dev1 film", "train3 film"],
                 "test": ["test0 film", "test1 film"]}  # fmt: skip
        facts = Facts("sample-en", "en", ("negative", "positive"))
        for split, given in texts.items():
            columns = {
                "id": [f"sample-en/{split}/{n}" for n in range(len(given))],
                "tokens": [text.split() for text in given], "label": ["negative", "positive"] * (len(given) // 2)
                + ["negative"] * (len(given) % 2), "clean": np.ones(len(given), dtype=bool),
            }  # fmt: skip
            path = tmp_path / f"tagged/sample-en/{split}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.table(columns, schema=tagged_schema(facts, parts=False)), path)
        (tmp_path / "clean/sample-en").mkdir(parents=True)
        held = [digest(text) for split in ("dev", "test") for text in texts[split]]
        (tmp_path / "clean/sample-en/heldout.txt").write_text("\n".join(held))
        params = {
            "pools": {"sample-en": {"corpora": ["sample-en"], "unlabelled": False, "folds": 3}},
            "vectors": {"sample-en.word2vec-4": WORD2VEC},
            "corpora": {"sample-en": {}},
            "papers": PAPERS_OF_FOLDS,
        }
        for module in (pool, embed):
            monkeypatch.setattr(module, "read_params", params.get)
        for module in (pool, embedding):
            monkeypatch.setattr(module, "TAGGED", tmp_path / "tagged")
        for name in ("CLEAN", "POOLS"):
            monkeypatch.setattr(pool, name, tmp_path / name.lower())
        monkeypatch.setattr(embedding, "ROOT", tmp_path)
        monkeypatch.setattr(embed, "VECTORS", tmp_path / "vectors")
        return tmp_path

    def test_a_fold_s_vectors_never_saw_what_it_holds_out(self, root):
        pool.main("sample-en")
        embed.main("sample-en.word2vec-4")
        splits = [read_split(root / "tagged/sample-en", split) for split in SPLITS]
        corpus, held_once = FoldedCorpus(splits, "dev", 3), []
        for number in (1, 2, 3):
            train, dev, test = corpus.fold(number)
            folder = root / "vectors/sample-en.word2vec-4" / Fold("dev", 3, number).name
            words = set(read_vectors(folder).words)
            seen, dev_words, test_words = ({text[0] for text in each.tokens.to_pylist()} for each in (train, dev, test))
            assert words == {"film"} | (seen - dev_words - test_words), (
                "all of the rest, and nothing of what is held out"
            )
            held_once += dev.ids
            facts = read_json(root / "pools/sample-en" / folder.name / "pool.json")
            free = sum(text[0] in words for text in train.tokens.to_pylist())
            assert (facts["fold"], facts["folds"], facts["texts"]) == (number, 3, free)
        assert sorted(held_once) == sorted(splits[0].ids + splits[1].ids)

    def test_the_pool_without_folds_is_as_it_was(self, root):
        pool.main("sample-en")
        tokens = pq.read_table(root / "pools/sample-en/texts.parquet")["tokens"].to_pylist()
        assert [text[0] for text in tokens] == [f"train{n}" for n in range(12) if n != 3]
        facts = read_json(root / "pools/sample-en/pool.json")
        assert set(facts) == {
            "name", "language", "corpora", "unlabelled", "texts", "words", "characters", "excluded", "near_copies",
        }  # fmt: skip

    def test_a_pool_of_others_holds_no_text_of_a_corpus_that_is_cut(self, root, monkeypatch):
        other = root / "tagged/mr"
        other.mkdir()
        table = pq.read_table(root / "tagged/sample-en/train.parquet")
        pq.write_table(table, other / "train.parquet")  # the same texts
        params = {"pools": {"p": {"corpora": ["mr"]}}, "corpora": {"sample-en": {}}, "papers": PAPERS_OF_FOLDS}
        monkeypatch.setattr(pool, "read_params", params.get)
        with pytest.raises(SystemExit):
            pool.main("p")  # nothing is left
        none = {name: {"folds": {}} for name in PAPERS}
        monkeypatch.setattr(pool, "read_params", (params | {"papers": none}).get)
        pool.main("p")
        assert pq.read_metadata(root / "pools/p/texts.parquet").num_rows == 11


def test_the_corpora_that_a_scale_cuts():
    assert folded_corpora(PAPERS_OF_FOLDS) == {"sample-en"}
    assert folded_corpora(scale_preset("cpu")["papers"]) == set()
    assert folded_corpora(scale_preset("paper")["papers"]) == {
        "mr", "covid-sentiment", "r8", "imdb", "yelp-10k", "news-aggregator-5pub"
    }  # fmt: skip
