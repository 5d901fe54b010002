import io
import warnings
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from PIL import Image

from retable.figures.bars import Bar, BarPanel, bar_rows, bars_picture
from retable.figures.densities import DensityPanel, densities_picture, density, density_rows
from retable.figures.grid import GridData, grid_picture, grid_rows
from retable.figures.heat import HeatPanel, heat_picture, heat_rows, tick_labels
from retable.figures.lines import Curve, LineAxes, LinePanel, line_rows, lines_picture
from retable.figures.roc import PLACES, RocCurve, RocPanel, micro_rates, roc_panels_picture, roc_rows
from retable.figures.scatter import Point, PointPanel, scatter_picture, scatter_rows, shifts
from retable.figures.style import legend_columns

AXES = LineAxes("window, words", "accuracy on test, %", "window", "accuracy")
LINES = [
    LinePanel(
        "Final",
        (
            Curve.of_runs("FCSR", (1, 3), [[80.0, 82.0], [81.0, 85.0]]),
            Curve.of_runs("FCSR, whole", [0], [[90.0]], level=True),
        ),
    )
]
POINTS = [PointPanel("IMDB", (Point("LAMA", 2e5, 88.5, 88.0, 89.0, 2), Point("TE", 1.9e7, 81.0, 81.0, 81.0, 1)))]
BARS = [BarPanel("SST", (Bar("LSTM", 200.0, 1), Bar("FCSR", 2.5, 1), Bar("CNN", 1.25, 2)))]
GRID = GridData("apparel", "heads", "layers", "accuracy, %", (1, 2), (1, 2), {(1, 1): 80.0, (2, 1): 81.5}, {(1, 1): 1})
CURVES = [RocPanel("SST", (RocCurve("FCSR", tuple(PLACES.tolist()), 0.5, 0.25, 1),))]
WORDS = [DensityPanel("happy", {"1": [0.5, 0.7, 0.9, 1.1, 1.6], "2": [1.0, 2.0]})]
HEAT = [HeatPanel("Transformer", ("基", "金"), np.array([[0.25, 0.75], [1.0, 0.0]]), 3)]
PICTURES = {
    "lines": lambda form: lines_picture(LINES, AXES, form),
    "scatter": lambda form: scatter_picture(POINTS, "parameters", "accuracy", form),
    "bars": lambda form: bars_picture(BARS, "milliseconds", form),
    "grid": lambda form: grid_picture(GRID, form),
    "roc": lambda form: roc_panels_picture(CURVES, form),
    "densities": lambda form: densities_picture(WORDS, "weight", form),
    "heat": lambda form: heat_picture(HEAT, form),
}


def texts_of(kind):
    """The words in a kind's SVG."""
    found = ElementTree.fromstring(PICTURES[kind]("svg")).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(element.itertext()).strip() for element in found]


@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize("form", ["png", "svg"])
def test_equal_data_give_equal_bytes(kind, form):
    assert PICTURES[kind](form) == PICTURES[kind](form)


def test_a_png_has_a_palette_and_says_nothing_of_its_making():
    with Image.open(io.BytesIO(PICTURES["lines"]("png"))) as image:
        assert (image.mode, image.format) == ("P", "PNG")
        assert image.info == {}


def test_lines_by_hand():  # two runs: 80 and 81, 82 and 85
    row = {"panel": "Final", "line": "FCSR", "runs": "2"}
    assert line_rows(LINES, AXES) == [
        row | {"window": "1", "accuracy": "80.5", "low": "80", "high": "81"},
        row | {"window": "3", "accuracy": "83.5", "low": "82", "high": "85"},
        row | {"line": "FCSR, whole", "window": "", "accuracy": "90", "low": "90", "high": "90", "runs": "1"},
    ]
    assert {"window, words", "accuracy on test, %", "FCSR", "FCSR, whole", "1", "3"} <= set(texts_of("lines"))


def test_points_by_hand():
    assert scatter_rows(POINTS, "parameters", "accuracy")[0] == {
        "panel": "IMDB", "model": "LAMA", "parameters": "200000", "accuracy": "88.5", "low": "88", "high": "89",
        "runs": "2",
    }  # fmt: skip


def test_points_of_nearly_one_x_stand_beside_each_other():
    points = [Point(name, x, 80.0, 79.0, 81.0, 1) for name, x in (("a", 1000.0), ("b", 1001.0), ("c", 2000.0))]
    assert shifts(PointPanel("", tuple(points))) == [-4.5, 4.5, 0.0]


def test_the_axes_of_points_are_those_of_their_intervals():
    ticks = [float(text) for text in texts_of("scatter") if text.replace(".", "").isdigit()]
    assert min(ticks) > 75
    assert max(ticks) > 85


def test_a_legend_has_as_many_columns_as_fit():
    assert legend_columns(["a" * 10] * 4, 5.0) == 4  # 1.15 inches each
    assert legend_columns(["a" * 10] * 4, 4.0) == 3
    assert legend_columns(["a" * 100] * 4, 4.0) == 1


def test_bars_stand_in_the_order_of_their_values_on_a_logarithmic_axis_where_the_span_is_large():
    assert bar_rows(BARS, "milliseconds") == [
        {"panel": "SST", "model": "CNN", "milliseconds": "1.25", "runs": "2"},
        {"panel": "SST", "model": "FCSR", "milliseconds": "2.5", "runs": "1"},
        {"panel": "SST", "model": "LSTM", "milliseconds": "200", "runs": "1"},
    ]
    assert "milliseconds (logarithmic)" in texts_of("bars")


def test_a_cell_of_the_grid_without_a_run_is_empty_and_a_dash():
    rows = grid_rows(GRID, "accuracy")
    assert [(row["heads"], row["layers"], row["accuracy"], row["runs"]) for row in rows] == [
        ("1", "1", "80", "1"), ("1", "2", "", "0"), ("2", "1", "81.5", "0"), ("2", "2", "", "0"),
    ]  # fmt: skip
    assert [text for text in texts_of("grid") if text in ("80.0", "81.5", "–")].count("–") == 2


def test_the_rates_of_four_texts_by_hand():
    # Of the eight (text, class) pairs those with the text's class get 0.9, 0.6, 0.35, 0.8, the others 0.1, 0.4, 0.65,
    # 0.2: from the highest on right right wrong right wrong right wrong wrong.
    classes, positive = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    rates = dict(zip(PLACES.tolist(), micro_rates(classes, np.stack([1 - positive, positive], axis=1)), strict=True))
    assert rates[0.0] == pytest.approx(0.5)
    assert rates[0.25] == pytest.approx(0.75)
    assert (rates[0.5], rates[1.0]) == (pytest.approx(1.0), 1.0)


def test_a_curve_and_its_areas_in_csv_and_legend():
    rows = roc_rows(CURVES)
    assert (len(rows), rows[1]["false_positive_rate"], rows[1]["true_positive_rate"]) == (201, "0.005", "0.005")
    assert (rows[0]["micro_auc"], rows[0]["macro_auc"]) == ("0.5", "0.25")
    assert "FCSR  0.500 / 0.250" in [text.replace("\xa0", " ") for text in texts_of("roc")]


def test_a_density_has_area_one_and_is_highest_where_most_values_are():
    values, places = np.array([1.0, 1.1, 1.2, 1.2, 3.0]), np.linspace(-20, 20, 40001)
    found = density(values, places)
    assert found.sum() * (places[1] - places[0]) == pytest.approx(1.0)
    assert places[found.argmax()] == pytest.approx(1.15, abs=0.1)


def test_a_density_by_hand():  # width 0.9 * min(sqrt(0.5), 0.5 / 1.349) / 2 ** 0.2 of the values 0 and 1
    width = 0.9 * 0.5 / 1.349 * 2**-0.2
    at_zero = (1 + np.exp(-0.5 / width**2)) / (2 * width * np.sqrt(2 * np.pi))
    assert density(np.array([0.0, 1.0]), np.array([0.0])) == pytest.approx([at_zero])


def test_a_class_with_too_few_occurrences_is_counted_and_not_drawn():
    rows = density_rows(WORDS, 3)
    assert rows[-1] == {"word": "happy", "class": "2", "weight": "", "density": "", "occurrences": "2", "epochs": "3"}
    assert [row["class"] for row in rows].count("1") == 128
    assert "2" not in [text for text in texts_of("densities") if "." not in text and text.isdigit() and text == "2"]


def test_a_heat_map_by_hand():
    assert heat_rows(HEAT)[1] == {
        "panel": "Transformer", "from": "1", "from_word": "基", "to": "2", "to_word": "金", "weight": "0.75",
        "epochs": "3",
    }  # fmt: skip
    assert texts_of("heat").count("基") == 2


def test_chinese_words_without_a_font_are_numbers_in_a_png_and_no_warning():
    assert tick_labels(("基", "金"), "png", None) == ["1", "2"]
    assert tick_labels(("基", "金"), "png", "SimHei") == tick_labels(("基", "金"), "svg", None) == ["基", "金"]
    assert tick_labels(("a", "b"), "png", None) == ["a", "b"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        heat_picture(HEAT, "svg")
