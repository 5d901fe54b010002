import warnings
import xml.etree.ElementTree as ElementTree

import matplotlib as mpl
import numpy as np
import pytest

from retable.figures import heat
from retable.figures.bars import Bar, TimeFigure
from retable.figures.densities import Shares, WordWeightsFigure, density
from retable.figures.figure import Plot
from retable.figures.grid import GridCell, GridFigure
from retable.figures.heat import AttentionFigure, HeatMap
from retable.figures.lines import Curve
from retable.figures.parameters import ParameterFigure
from retable.figures.roc import PLACES, RocCurve, RocFigure, micro_rates
from retable.figures.scatter import Point, SizeFigure, shifts
from retable.figures.style import STYLE, legend_columns, new_figure, svg_of

CURVES = (
    Curve.of_runs("FCSR", (1, 3), [[80.0, 82.0], [81.0, 85.0]]),
    Curve.of_runs("FCSR, whole", [0], [[90.0]], level=True),
)
CELLS = (
    GridCell(1, 1, 1, 80.0), GridCell(1, 2), GridCell(1, 9), GridCell(2, 1, 1, 81.5), GridCell(2, 2, 1, 79.0),
    GridCell(2, 9), GridCell(7, 1), GridCell(7, 2), GridCell(7, 9),
)  # fmt: skip
GRID_CELLS = tuple((cell.x, cell.y, "") for cell in CELLS)
KINDS = {  # kind -> figure, title and marks of its only panel
    "lines": (ParameterFigure("f", "", "", (), parameter="window, words", short="window"), "Final", CURVES),
    "scatter": (
        SizeFigure("f", "", "", ()),
        "IMDB",
        (Point("LAMA", 2e5, 88.5, 88.0, 89.0, 2), Point("TE", 1.9e7, 81.0, 81.0, 81.0, 1)),
    ),
    "bars": (
        TimeFigure("f", "", "", ()), "SST",
        (Bar("CNN", 1.25, 2, 2), Bar("FCSR", 2.5, 1, 5), Bar("LSTM", 200.0, 1, 1), Bar("BERT", None, 0, 1)),
    ),
    "grid": (GridFigure("f", "", "", (), cells=GRID_CELLS, x="heads", y="layers"), "apparel", CELLS),
    "roc": (RocFigure("f", "", "", ()), "SST", (RocCurve("FCSR", tuple(PLACES.tolist()), 0.5, 0.25, 1),)),
    "densities": (
        WordWeightsFigure("f", "", "", (), words=("happy",)),
        "happy",
        (Shares("1", (0.5, 0.7, 0.9, 1.1, 1.6), 3), Shares("2", (1.0, 2.0), 3)),
    ),
    "heat": (
        AttentionFigure("f", "", "", ()),
        "Transformer",
        (HeatMap(("基", "金"), np.array([[0.25, 0.75], [1.0, 0.0]]), 3),),
    ),
}  # fmt: skip


def picture_of(kind):
    """Return a kind's picture."""
    figure, title, marks = KINDS[kind]
    return figure.picture([Plot(title, marks)])


def lines_of(kind):
    """Return a kind's CSV."""
    figure, title, marks = KINDS[kind]
    return figure.csv_lines([Plot(title, marks)])


def texts_of(kind):
    """Return the words in a kind's SVG."""
    found = ElementTree.fromstring(picture_of(kind)).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(element.itertext()).strip() for element in found]


@pytest.mark.parametrize("kind", KINDS)
def test_equal_data_give_equal_bytes(kind):
    assert picture_of(kind) == picture_of(kind)


@pytest.mark.parametrize(
    ("kind", "number", "line", "words"),
    [
        ("lines", 3, "Final,FCSR,3,83.5,82,85,2", {"window, words", "accuracy on test, %", "FCSR, whole", "3"}),
        ("lines", 3, "Final,FCSR whole,,90,90,90,1", set()),
        ("scatter", 2, "IMDB,LAMA,200000,88.5,88,89,2", {"LAMA"}),
        ("bars", 3, "SST,LSTM,200,1,1", {"milliseconds for 20 texts (logarithmic)", "BERT", "not timed"}),
        ("grid", 9, "apparel,1,1,80,,,1", {"80.0", "81.5", "–"}),
        ("grid", 9, "apparel,1,2,,,,0", set()),
        ("roc", 101, "SST,FCSR,0.01,0.01,0.5,0.25,1", {"FCSR  0.500 / 0.250"}),
        ("densities", 129, "happy,2,,,2,3", {"1"}),
        ("heat", 4, "Transformer,1,基,2,金,0.75,3", {"基", "金"}),
    ],
)
def test_csv_and_words_by_hand(kind, number, line, words):
    lines = lines_of(kind)
    assert len(lines) == number
    assert line in [",".join(cell.replace(",", "") for cell in each.values()) for each in lines]
    assert words <= {text.replace("\xa0", " ") for text in texts_of(kind)}


def test_columns_of_the_csv():
    names = {kind: ",".join(lines_of(kind)[0]) for kind in KINDS}
    assert names == {
        "lines": "panel,line,window,accuracy,low,high,runs",
        "scatter": "panel,model,parameters,accuracy,low,high,runs",
        "bars": "panel,model,milliseconds,timed,runs",
        "grid": "panel,heads,layers,accuracy,low,high,runs",
        "roc": "panel,model,false_positive_rate,true_positive_rate,micro_auc,macro_auc,runs",
        "densities": "word,class,weight,density,occurrences,epochs",
        "heat": "panel,from,from_word,to,to_word,weight,epochs",
    }


def test_values_without_a_run_are_not_drawn_and_a_missing_pair_of_others_is_a_dash():
    """Of 36 cells of FCSR's figure 5, 32 were dashes."""
    texts = texts_of("grid")
    assert {"7", "9"}.isdisjoint(texts)
    assert texts.count("–") == 1


def test_points_of_nearly_one_x_stand_beside_each_other():
    assert shifts((1000.0, 1001.0, 2000.0)) == [-4.5, 4.5, 0.0]


def test_the_axes_of_points_are_those_of_their_intervals():
    ticks = [float(text) for text in texts_of("scatter") if text.replace(".", "").isdigit()]
    assert min(ticks) > 75
    assert max(ticks) > 85


def test_a_legend_has_as_many_columns_as_fit():
    assert legend_columns(["a" * 10] * 4, 5.0) == 4  # 1.15 inches each
    assert legend_columns(["a" * 10] * 4, 4.0) == 3
    assert legend_columns(["a" * 100] * 4, 4.0) == 1


def test_the_rates_of_four_texts_by_hand():
    # Of the eight (text, class) pairs those with the text's class get 0.9, 0.6, 0.35, 0.8, the others 0.1, 0.4, 0.65,
    # 0.2: from the highest down right right wrong right wrong right wrong wrong.
    classes, positive = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    rates = dict(zip(PLACES.tolist(), micro_rates(classes, np.stack([1 - positive, positive], axis=1)), strict=True))
    assert rates[0.0] == pytest.approx(0.5)
    assert rates[0.25] == pytest.approx(0.75)
    assert (rates[0.5], rates[1.0]) == (pytest.approx(1.0), 1.0)


def test_a_density_by_hand():  # width 0.9 * min(sqrt(0.5), 0.5 / 1.349) / 2 ** 0.2 of the values 0 and 1
    width = 0.9 * 0.5 / 1.349 * 2**-0.2
    at_zero = (1 + np.exp(-0.5 / width**2)) / (2 * width * np.sqrt(2 * np.pi))
    assert density(np.array([0.0, 1.0]), np.array([0.0])) == pytest.approx([at_zero])


@pytest.mark.parametrize("font", [None, "DejaVu Sans"])
def test_chinese_words_are_texts_with_and_without_a_font_and_give_no_warning(monkeypatch, font):
    monkeypatch.setattr(heat, "chinese_font", lambda: font)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert {"基", "金"} <= set(texts_of("heat"))


def test_dollars_in_a_name_are_letters_and_no_formula():
    with mpl.rc_context(STYLE):
        figure = new_figure(3, 2)
        figure.subplots().set_title("costs $5_a or $6")
        assert "costs $5_a or $6" in svg_of(figure).decode("utf-8")


def test_a_map_of_equal_weights_says_so():
    uniform = HeatMap(("a", "b"), np.full((2, 2), 0.5), 1)
    figure = AttentionFigure("f", "", "", ())
    assert b"all weights 1/2" in figure.picture([Plot("T", (uniform,))])
    assert b"all weights" not in picture_of("heat")
