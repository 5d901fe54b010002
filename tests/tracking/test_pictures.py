import io
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from retable.figures.pictures import CURVE_MARGINS, draw_confusion, draw_curve, draw_roc, png_of, thinned
from retable.figures.style import svg_of
from retable.runs.curve import read_curve
from retable.runs.folder import write_curve
from tests.tracking.conftest import candidate_lines, epoch_lines, some_answers

SVG = "{http://www.w3.org/2000/svg}"


def texts_in(figure: Figure) -> list[str]:
    """Return the words in a picture."""
    picture = ElementTree.fromstring(svg_of(figure))
    return ["".join(element.itertext()).strip() for element in picture.iter(f"{SVG}text")]


def test_the_area_under_a_roc_curve_of_four_texts_by_hand():
    classes = np.array([0, 0, 1, 1])
    positive = np.array([0.1, 0.4, 0.35, 0.8])  # of four pairs (negative, positive) three are in the right order
    picture = draw_roc(classes, np.stack([1 - positive, positive], axis=1), ("bad", "good"))
    assert [" ".join(text.split()) for text in texts_in(picture) if "good" in text] == ["good 0.750"]
    assert "bad" not in " ".join(texts_in(picture))  # it would mirror the other


def test_the_counts_of_a_confusion_matrix_by_hand():
    true, predicted = np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1])
    picture = draw_confusion(true, predicted, ("bad", "good"))
    assert [text for text in texts_in(picture) if text.isdigit()] == ["2", "1", "0", "2"]  # one row per true class


@pytest.mark.parametrize("bytes_of", [png_of, svg_of])
def test_equal_runs_have_equal_pictures(bytes_of):
    probabilities, split = some_answers(("a", "b", "c"), 200, seed=1)
    roc = [bytes_of(draw_roc(split.classes, probabilities, ("a", "b", "c"))) for _ in range(2)]
    curves = [
        [bytes_of(draw_curve(lines(), 4)) for _ in range(2)] for lines in (candidate_lines, lambda: epoch_lines(1))
    ]
    assert all(first == second for first, second in (roc, *curves))


@pytest.mark.parametrize("loss", [3e-5, 0.00312, 1.0, 98765.0])
def test_fixed_margins_have_room_for_the_numbers_of_any_loss(loss):
    lines = [line | {f"{split}_loss": loss / line["epoch"] for split in ("train", "dev")} for line in epoch_lines(1)]
    probabilities, split = some_answers(("a", "b", "c"), 200, seed=1)
    curve, roc = draw_curve(lines, 1), draw_roc(split.classes, probabilities, ("a", "b", "c"))
    for picture in (curve, roc):
        with Image.open(io.BytesIO(png_of(picture))) as image:
            grey = np.array(image.convert("L"))
        edges = (grey[:, 0], grey[:, -1], grey[0], grey[-1])
        assert all((edge == 255).all() for edge in edges)  # nothing is cut off


def test_the_numbers_of_the_right_panel_stay_off_the_left_one():
    lines = [line | {"train_accuracy": 0.9991, "dev_accuracy": 0.9991 + line["epoch"] / 1e4} for line in epoch_lines(1)]
    with Image.open(io.BytesIO(png_of(draw_curve(lines, 1)))) as image:
        grey = np.array(image.convert("L"))
    left, right, between = (CURVE_MARGINS[name] for name in ("left", "right", "wspace"))
    edge = round((left + (right - left) / (2 + between)) * grey.shape[1])  # the left panel ends here
    assert (grey[:, edge + 3 : edge + 6] == 255).all()


def test_of_candidates_for_questions_the_chosen_one_is_marked_and_its_score_is_no_setting(tmp_path):
    lines = [
        {"features": "words-1", "cost": cost, "dev_accuracy": accuracy, "dev_map": dev_map}
        for cost, accuracy, dev_map in ((0.1, 0.9, 0.5), (1.0, 0.8, 0.75))
    ]
    write_curve(tmp_path / "curve.csv", lines)
    words = texts_in(draw_curve(read_curve(tmp_path), None))
    assert "mean average precision on dev, the chosen candidate in orange" in words
    assert [word for word in words if "words-1" in word] == ["words-1 · 0.1", "words-1 · 1.0"]
    points = [float(word.rstrip("%")) for word in words if word.endswith("%")]
    assert min(points) < 60 < max(points) < 80  # of the map, not of the accuracy


def test_a_single_epoch_is_not_divided():
    words = texts_in(draw_curve(epoch_lines(1)[:1], 1))
    before = [words[place - 1] for place, word in enumerate(words) if word == "epoch"]
    assert before == ["1", "1"]


def test_a_png_has_a_palette_and_says_nothing_of_its_making():
    with Image.open(io.BytesIO(png_of(draw_curve(epoch_lines(1), 4)))) as image:
        assert (image.mode, image.format) == ("P", "PNG")
        assert image.info == {}


def test_pictures_on_one_page_share_no_names():
    curves = [ElementTree.fromstring(svg_of(draw_curve(epoch_lines(seed), 4))) for seed in (1, 2)]
    found = [{element.get("id") for element in curve.iter()} for curve in curves]
    assert found[0] & found[1] == {None}


def test_a_class_without_a_text_has_no_curve():
    picture = draw_roc(np.array([0, 1, 0, 1]), np.full((4, 3), 1 / 3), ("a", "b", "never"))
    assert "never" not in " ".join(texts_in(picture))


def test_thirty_classes_are_drawn_without_thirty_names_and_nine_hundred_numbers():
    labels = tuple(f"class-{number}" for number in range(30))
    probabilities, split = some_answers(labels, 3000, seed=1)
    names = [text for text in texts_in(draw_roc(split.classes, probabilities, labels)) if "class-" in text]
    assert len(names) == 8
    confusion = draw_confusion(split.classes, probabilities.argmax(axis=1), labels)
    assert not [text for text in texts_in(confusion) if text.isdigit()]


def test_a_long_curve_keeps_its_ends_and_its_order():
    x, y = np.linspace(0, 1, 5000), np.linspace(0, 1, 5000) ** 0.2
    few_x, few_y = thinned(x, y)
    assert len(few_x) <= 200
    assert (few_x[0], few_y[0], few_x[-1], few_y[-1]) == (0, 0, 1, 1)
    assert (np.diff(few_x) >= 0).all()
    assert np.abs(np.interp(x, few_x, few_y) - y).max() < 0.01
