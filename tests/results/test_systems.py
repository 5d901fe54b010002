"""The table of all systems."""

import pytest

from retable.models import MODELS, TRAINERS
from retable.results.systems import equations_of, families_of_models, measured, source_of
from tests.results.records import plan, run


def test_a_systems_source_is_the_first_that_its_head_names():
    assert source_of("textcnn") == ("Convolutional Neural Networks for Sentence Classification", "2014")
    assert source_of("tree-lstm")[1] == "2015"  # not Shi et al., 2018, further below
    assert source_of("delta-tfidf") == ("Delta TFIDF", "2009")  # one of several models in a file
    assert source_of("dan")[1] == "2015"  # its code's address, github.com/miyyer/dan: ..., begins no part
    assert source_of("transformer-f") == ("Transformer-F", "")  # a manuscript


@pytest.mark.parametrize("name", sorted(MODELS | TRAINERS))
def test_every_system_has_a_family_and_a_source(name):
    assert families_of_models()[name] not in {"", "other"}
    assert source_of(name)[0]


def test_equations_are_counted_once_each():
    """TextING's header and code name eq. 1 to 8, most of them twice; Text GCN's source has no equation numbers."""
    assert equations_of("texting") == "8"
    assert equations_of("tree-lstm") == "13"  # 2-8 and 9-14
    assert equations_of("text-gcn") == ""


def test_a_family_is_the_systems_own_or_that_of_a_row_that_it_is():
    families = families_of_models()
    assert families["text-gcn"] == "graph"
    assert families["capsule"] == "capsule"  # a row capsule-a of the survey


def test_weights_are_those_beside_words_and_runs_are_counted():
    runs = [run(plan(), "survey-table-1", "tfidf-svm", column) for column in ("sst-2", "mr")]
    weights, flops, count, corpora = measured(runs)
    assert (count, corpora) == ("2", "2")
    cost = runs[0].cost
    assert weights == f"{round(cost['parameters'] - cost['parameters_tuned_words']):,}"
    assert flops == f"{round(cost['flops_per_word']):,}"
    assert measured([]) == ["", "", "0", "0"]
