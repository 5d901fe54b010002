from itertools import pairwise

import numpy as np
import pytest

from retable.figures.keys import GAP, LINE, Key, put_keys
from retable.figures.names import distances_to, in_lines, is_unclear, number_label, one_place
from retable.figures.style import new_figure


@pytest.mark.parametrize(
    ("name", "letters", "lines"),
    [
        ("FCSR", 24, "FCSR"), ("CNN, trained directly, window 13", 40, "CNN, trained directly, window 13"),
        ("CNN, trained directly, window 13", 24, "CNN, trained\ndirectly, window 13"),
    ],
)  # fmt: skip
def test_a_name_takes_few_lines_of_about_one_length(name, letters, lines):
    assert in_lines(name, letters) == lines


def test_points_that_cover_one_another_share_a_label():
    dots = [(0.0, 0.0), (9.0, 9.0), (0.0, 1.0), (0.0, 1.5), (30.0, 0.0)]
    assert one_place([0, 2, 3, 4], dots, radius=3.0) == [[1, 2, 3], [4]]
    assert [number_label(numbers) for numbers in ([1, 2, 3], [4])] == ["1–3", "4"]


def test_distances_of_points_to_boxes_by_hand():
    boxes, dots = np.array([[0.0, 0.0, 4.0, 2.0]]), np.array([[7.0, 6.0], [2.0, 1.0], [2.0, -3.0]])
    assert distances_to(boxes, dots).tolist() == [[5.0, 0.0, 3.0]]


def test_a_name_as_near_to_another_point_as_to_its_own_is_unclear():
    own, other, touching = (-2.0, 1.0), (8.0, 1.0), (-2.0, 2.0)
    boxes = [(0.0, 0.0, 5.5, 2.0), (0.0, 0.0, 4.0, 2.0)]  # 2 from its own point; 2.5 and 4 from another
    assert is_unclear(boxes, [own, other, touching], own, radius=1.0).tolist() == [True, False]


def test_a_list_has_its_room_below_its_panel_and_panels_keep_their_size():
    figure = new_figure(4.0, 4.0)
    places = list(figure.subplots(2, 1))
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    sizes = [place.get_window_extent().size.tolist() for place in places]
    keys = [Key.of_names(figure, places[0], ["one", "two", "three"]), Key.of_names(figure, places[1], [])]
    put_keys(figure, keys)
    assert (keys[0].columns >= 3, keys[0].height, keys[1].height) == (True, pytest.approx(GAP + LINE), 0.0)
    assert figure.get_figheight() == pytest.approx(4.0 + GAP + LINE)
    for place, size in zip(places, sizes, strict=True):
        assert place.get_window_extent().size.tolist() == pytest.approx(size)
    texts = [text.get_window_extent() for text in keys[0].texts]
    assert [text.get_text() for text in keys[0].texts] == ["1  one", "2  two", "3  three"]
    assert max(text.y1 for text in texts) < places[0].get_tightbbox().y0
    assert min(text.y0 for text in texts) > places[1].get_tightbbox().y1 - 1
    assert all(one.x1 < other.x0 for one, other in pairwise(texts))
