"""The picture of printed and measured differences: its axis, and what is beyond it."""

from retable.figures.forest import Difference, forest_picture

NEAR = Difference("FCSR", "FCSR vs. CNN", 1.8, -0.5, -1.6, 0.6, -3.0, 1.9)
FAR = Difference("LAMA", "LAMA vs. TE", 17.8, 15.4, -2.0, 32.8, -19.6, 50.3)


def test_what_is_beyond_the_axis_is_written_at_its_border():
    assert NEAR.beyond(1) == NEAR.beyond(-1) == []
    assert FAR.beyond(1) == ["measured 15.4", "interval to 32.8", "printed 17.8", "thin line to 50.3"]
    assert FAR.beyond(-1) == ["thin line to -19.6"]
    picture = forest_picture([NEAR, FAR]).decode("utf-8")
    assert "measured 15.4, interval to 32.8, printed 17.8, thin line to 50.3 ▶" in picture
    assert "◀ thin line to -19.6" in picture
    assert ">15<" in picture
    assert ">20<" not in picture


def test_the_axis_ends_where_the_differences_do():
    assert ">15<" not in forest_picture([NEAR]).decode("utf-8")
