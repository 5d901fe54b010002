"""Grades: distributions whose mean is the score (Tai et al. 2015, section 4.2), and how answers agree with scores."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from retable.corpora import Example, corpus
from retable.errors import InputError
from retable.text.folds import joined, part
from retable.text.grades import agreement, is_score, means_of, targets_of
from retable.text.splits import Facts, read_facts, read_split, tagged_schema

FACTS = Facts("sick-relatedness", "en", ("1", "2", "3", "4", "5"), graded=True)


def test_a_score_between_two_grades_is_shared_by_hand():
    found = targets_of(np.array([2.6, 0.0, 4.0, 3.0]), 5)  # 3.6, 1, 5 and 4 on the grades
    assert found == pytest.approx(
        np.array([[0, 0, 0.4, 0.6, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 1, 0]]), abs=1e-6
    )


def test_distributions_are_those_of_the_papers_loop_and_their_means_are_the_scores():
    scores = np.random.default_rng(1).uniform(0, 4, 200)
    for score, row in zip(scores, targets_of(scores, 5), strict=True):
        floor = int(np.floor(score))
        expected = [score - floor if i == floor + 1 else floor - score + 1 if i == floor else 0.0 for i in range(5)]
        assert row == pytest.approx(expected, abs=1e-6)
    assert means_of(targets_of(scores, 5)) == pytest.approx(scores, abs=1e-6)


def test_agreement_is_that_of_the_definitions_and_0_for_answers_that_never_vary():
    draw = np.random.default_rng(2)
    answers, scores = draw.normal(size=50), draw.integers(0, 5, 50).astype(float)  # with ties
    a, s = answers - answers.mean(), scores - scores.mean()
    found = agreement(answers, scores)
    assert found["pearson"] == pytest.approx((a * s).sum() / np.sqrt((a * a).sum() * (s * s).sum()))
    assert found["mse"] == pytest.approx(((answers - scores) ** 2).mean())
    ranks = [np.array([np.mean(np.flatnonzero(np.sort(of) == each)) for each in of]) for of in (answers, scores)]
    assert found["spearman"] == pytest.approx(np.corrcoef(*ranks)[0, 1])
    assert agreement(scores, scores) == pytest.approx({"pearson": 1.0, "spearman": 1.0, "mse": 0.0})
    assert agreement(-scores, scores)["pearson"] == pytest.approx(-1.0)
    assert agreement(np.ones(50), scores)["pearson"] == agreement(np.ones(50), scores)["spearman"] == 0.0


@pytest.mark.parametrize(
    ("label", "is_one"),
    [
        *((label, True) for label in ("1", "5", "3.165")),
        *((label, False) for label in ("0.9", "5.1", "", "nan", "1e0", "３", "-2", "+2", " 2", "2.")),
    ],
)
def test_a_score_is_a_plain_number_between_the_first_and_the_last_grade(label, is_one):
    assert is_score(label, FACTS.labels) == is_one


def write(folder, labels):
    rows = {
        "id": [f"t-{number}" for number in range(len(labels))],
        "tokens": [["a", "word"]] * len(labels),
        "label": labels,
        "clean": [True] * len(labels),
    }
    pq.write_table(pa.table(rows, schema=tagged_schema(FACTS, parts=False)), folder / "dev.parquet")


def test_a_split_has_scores_from_0_and_the_nearest_grade_as_class(tmp_path):
    write(tmp_path, ["1", "3.6", "2.5", "5", "4.49"])
    split = read_split(tmp_path, "dev")
    assert read_facts(tmp_path / "dev.parquet") == FACTS
    assert split.scores == pytest.approx([0, 2.6, 1.5, 4, 3.49])
    assert split.classes.tolist() == [0, 3, 2, 4, 3]
    sick = corpus("sick-relatedness")
    counted = [sick.label_of(Example("", "dev", "", label)) for label in ("1", "3.6", "2.5", "5", "4.49")]
    assert counted == ["1", "4", "3", "5", "4"]
    assert [sick.label_of(Example("", "dev", "", label)) for label in ("", "n/a", "1.2.3")] == ["", "n/a", "1.2.3"]
    chosen = joined([part(split, np.array([3, 1])), part(split, np.array([0]))])
    assert chosen.scores == pytest.approx([4, 2.6, 0])


def test_a_label_outside_the_grades_is_refused(tmp_path):
    write(tmp_path, ["1", "5.5"])
    with pytest.raises(InputError, match=r'dev.parquet has the label "5.5"; allowed: a number from 1 to 5'):
        read_split(tmp_path, "dev")
