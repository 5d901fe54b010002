import pytest

from retable.tables.costs import cost_table, short, span

COST = {
    "parameters_tuned_words": 0, "flops_per_word": 6e6, "words_per_second": 8000.0, "peak_memory_mb": 800, "threads": 2,
}  # fmt: skip


def test_a_row_spans_its_columns_and_word_vectors_are_no_part_of_its_size():
    costs = [
        COST | {"row": "net", "parameters": 1_000_000, "parameters_tuned_words": 400_000, "seconds_per_epoch": 2.0},
        COST
        | {"row": "net", "parameters": 600_000, "seconds_per_epoch": "30", "words_per_second": "6000", "threads": "1"},
        COST | {"row": "other", "parameters": 5, "seconds_per_epoch": 0.2, "flops_per_word": None},
    ]
    table = cost_table(costs, {"other": "Other", "not-run": "Not run", "net": "Net"})
    assert table == [
        ["Other", "5.0", "0", "8.0 K", "0.20", "800", "2"],
        ["Net", "600 K", "6.0 M", "7.0 K", "2.0 to 30", "800", "1, 2"],
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"), (0.034, "0.03"), (0.96, "1.0"), (9.94, "9.9"), (9.96, "10"), (999.4, "999"), (999.6, "1.0 K"),
        (2.5e9, "2.5 G"),
    ],
)  # fmt: skip
def test_numbers_as_people_read_them(value, shown):
    assert short(value) == span([value, value * 1.00001]) == shown


def test_a_row_with_an_unverified_run_says_so():
    kept = COST | {"row": "net", "parameters": 5, "seconds_per_epoch": 2.0, "unverified": ""}
    assert cost_table([kept, kept], {"net": "Net"})[0][0] == "Net"
    assert cost_table([kept, kept | {"unverified": "yes"}], {"net": "Net"})[0][0] == "Net (unverified)"


def test_a_time_that_was_not_kept_is_a_dash_and_takes_no_part_in_a_median():
    kept = COST | {"row": "net", "parameters": 5, "seconds_per_epoch": 2.0}
    none = kept | {"seconds_per_epoch": "", "words_per_second": "", "peak_memory_mb": ""}  # on a GPU with other work
    assert cost_table([kept, none], {"net": "Net"})[0][3:6] == ["8.0 K", "2.0", "800"]
    assert cost_table([none], {"net": "Net"})[0][3:6] == ["–", "–", "–"]
