"""Check what the types of options declare, and that every network is built through the check."""

from collections.abc import Sequence
from typing import Annotated, Literal

import pytest
import torch

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network, Task
from retable.layers.options import (
    AtLeast,
    Choice,
    Count,
    CountOrZero,
    Counts,
    Even,
    NonNegative,
    Odd,
    Positive,
    Positives,
    Share,
    check_ranges,
)

NAN = float("nan")
Pool = Literal["max", "mean"]


class Small(Network):
    """A network whose options have every kind of range; it counts how often it was built."""

    built = 0

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        free: int = 0,
        count: Count = 1,
        or_zero: CountOrZero = 0,
        some: Counts = (1,),
        odd: Odd = 1,
        even: Even = 2,
        share: Share = 0.0,
        positive: Positive = 1.0,
        positives: Positives = (1.0,),
        weight: NonNegative = 0.0,
        pool: Pool = "max",
        depth: Annotated[int, Choice({9: "", 17: ""})] = 9,
        frames: Annotated[int, AtLeast(3)] = 3,
        each: Sequence[Pool] = ("max",),
        two: Annotated[Annotated[int, AtLeast(2)], Choice((0, 2, 4))] = 2,
    ) -> None:
        super().__init__()
        type(self).built += 1


def build(**options: object) -> Small:
    return Small.build(WordEmbedding(torch.zeros(3, 2), tuned=0), Task(("no", "yes")), options)


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("free", [-5]),
        ("count", [1, 7]),
        ("or_zero", [0, 1]),
        ("some", [[1], (2, 3)]),
        ("odd", [1, 7]),
        ("even", [2, 8]),
        ("share", [0, 0.0, 0.99]),
        ("positive", [1e-9, 1]),
        ("positives", [[0.1], (1, 2.0)]),
        ("weight", [0, 0.5]),
        ("pool", ["mean"]),
        ("depth", [17]),
        ("frames", [3]),
        ("each", [[], ["mean", "max"]]),
        ("two", [4]),
    ],
)
def test_a_value_in_the_declared_range_is_accepted(option, values):
    for value in values:
        build(**{option: value})


@pytest.mark.parametrize(
    ("option", "values", "allowed"),
    [
        ("count", [0, -1], "count >= 1"),
        ("or_zero", [-1], "or_zero >= 0"),
        ("some", [[], [0], [2, -1]], "one or more whole numbers >= 1"),
        ("odd", [2, 0, -1], "odd numbers from 1"),
        ("even", [0, -2, 7], "even numbers from 2 (half of it for each direction)"),
        ("share", [1, 1.0, -0.1, NAN], "0 <= share < 1"),
        ("positive", [0, -1.0, NAN], "above 0"),
        ("positives", [[], [0], [1.0, -1.0]], "one or more numbers above 0"),
        ("weight", [-0.1, NAN], "weight >= 0"),
        ("depth", [10], "9, 17"),
        ("frames", [2], "frames >= 3"),
        ("two", [0], "two >= 2"),
        ("two", [3], "0, 2, 4"),
    ],
)
def test_a_value_outside_the_declared_range_is_refused_before_the_network_is_built(option, values, allowed):
    for value in values:
        before = Small.built
        with pytest.raises(ValueError) as error:
            build(**{option: value})
        assert str(error.value) == f"{option} is {value}; allowed: {allowed}"
        assert Small.built == before


@pytest.mark.parametrize("option", ["pool", "each"])
def test_another_word_than_those_declared_is_refused(option):
    with pytest.raises(ValueError, match=f'^{option} is "last"; allowed: max, mean$'):
        build(**{option: "last" if option == "pool" else ["max", "last"]})


def test_a_list_in_an_error_looks_the_same_from_yaml_and_from_python():
    with pytest.raises(ValueError, match=r"^some is \[0\]; allowed: one or more"):
        build(some=(0,))


def test_the_signature_of_a_function_is_checked_like_that_of_a_constructor():
    def train(*, seed: int, costs: Positives = (1.0,)) -> None: ...

    check_ranges(train, {"costs": [1.0]})
    with pytest.raises(ValueError, match=r"^costs is \[0\.0\]; allowed: one or more"):
        check_ranges(train, {"seed": 1, "costs": [0.0]})


def test_a_network_gets_what_it_needs_of_the_task_and_its_options():
    class Domains(Small):
        def __init__(self, embedding: WordEmbedding, classes: int, domains: int, *, count: Count = 1) -> None:
            super().__init__(embedding, classes)
            self.given = classes, domains, count

        @classmethod
        def needs(cls, task: Task) -> tuple[object, ...]:
            return task.classes, len(task.domains)

    task = Task(("no", "yes"), domains=("books", "films", "music"))
    assert Domains.build(WordEmbedding(torch.zeros(3, 2), tuned=0), task, {"count": 4}).given == (2, 3, 4)
