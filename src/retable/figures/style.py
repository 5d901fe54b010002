"""The common look of all pictures, and how a figure becomes bytes: equal figures give equal bytes on one machine.

An SVG has no background and takes the colour and font of the page around it, otherwise middle tones, so that it is
readable on a light and on a dark page.
"""

import hashlib
import io
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, FuncFormatter, LogLocator, NullFormatter, NullLocator

INK, BLUE, ORANGE, GREEN = "#3d4045", "#3b82d9", "#e07b26", "#2f9e6e"
COLOURS = (BLUE, ORANGE, GREEN, "#c2519b", "#8a6fd1", "#b08d1e", "#d1495b", "#3aa3b5")
SHADES = LinearSegmentedColormap.from_list("share", [(*to_rgb(BLUE), 0.04), (*to_rgb(BLUE), 1.0)])
DASHES = ("-", "--", ":", "-.")
DECADE, WIDE_AXIS = 10, 2000  # ratio of largest to smallest value
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # characters that no XML has
PANELS_BESIDE = 3  # per row of panels
STYLE: Any = {
    "svg.hashsalt": "retable", "svg.fonttype": "none", "font.size": 8, "axes.titlesize": 9, "lines.linewidth": 1.5,
    "legend.frameon": False, "legend.fontsize": 7, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.alpha": 0.15, "text.parse_math": False,
    "font.sans-serif": ["DejaVu Sans", "Verdana"],  # every text of an SVG repeats the list; Verdana is as wide
    **dict.fromkeys(("axes.edgecolor", "axes.labelcolor", "axes.titlecolor", "grid.color"), INK),
    **dict.fromkeys(("text.color", "xtick.color", "ytick.color"), INK),
}  # fmt: skip


def panel_axes(count: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """Return a figure with `count` panels, at most three per row, each with this width and height in inches."""
    beside = 2 if count == 4 else min(count, PANELS_BESIDE)
    figure = new_figure(width * beside, height * math.ceil(count / beside))
    grid = figure.subplots(math.ceil(count / beside), beside, squeeze=False).flatten()
    for unused in grid[count:]:
        unused.remove()
    return figure, list(grid[:count])


def line_looks(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return a colour for each name, with another dash pattern once the colours are used up."""
    return {
        name: {"color": COLOURS[place % len(COLOURS)], "linestyle": DASHES[place // len(COLOURS) % len(DASHES)]}
        for place, name in enumerate(names)
    }


def legend_below(figure: Figure, axes: Sequence[Axes], title: str | None = None) -> None:
    """Draw one legend for all panels, below them; each name once, as many per row as fit."""
    named = {name: handle for each in axes for handle, name in zip(*each.get_legend_handles_labels(), strict=True)}
    if named:
        columns = legend_columns(list(named), figure.get_figwidth())
        figure.legend(
            list(named.values()), list(named), loc="outside lower center", ncols=columns, title=title, title_fontsize=7
        )


def legend_columns(names: Sequence[str], inches: float) -> int:
    """Return how many columns of names fit, each as wide as the longest name; at least one."""
    for count in range(len(names), 1, -1):
        columns = [part.tolist() for part in np.array_split(np.array([len(name) for name in names]), count)]
        if sum(0.5 + 0.065 * max(lengths) for lengths in columns) <= inches:
            return count
    return 1


def plain_log_ticks(axis: Axis) -> None:
    """Label a logarithmic axis 1, 2, 5, 10 ... in plain numbers (0.5, 20 k, 3 M)."""
    large = EngFormatter(sep=" ")
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}" if value < 1 else large.format_eng(value)))
    axis.set_minor_formatter(NullFormatter())


def log_x(axes: Axes, values: Sequence[float]) -> None:
    """Make a logarithmic axis with readable ticks: at least a decade, and only whole decades if there are many."""
    least, most = min(values), max(values)
    if most < DECADE * least:  # a narrow axis could have a single tick, one of a single value has no limits
        middle = math.sqrt(least * most)
        axes.set_xlim(middle / math.sqrt(2 * DECADE), middle * math.sqrt(2 * DECADE))
    axes.set_xscale("log")
    plain_log_ticks(axes.xaxis)
    if most > WIDE_AXIS * least:
        axes.xaxis.set_major_locator(LogLocator(subs=(1,), numticks=12))
        axes.xaxis.set_minor_locator(NullLocator())


def bare(axes: Axes) -> None:
    """Remove lines, border and ticks from a map."""
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)


def each_once(names: Sequence[str]) -> list[str]:
    """Return the names without repeats, in order of first appearance."""
    return list(dict.fromkeys(names))


def number_text(value: float) -> str:
    """Format a number for a CSV: whole numbers unchanged, others with six digits."""
    return str(int(value)) if float(value).is_integer() else f"{value:.6g}"


def new_figure(width: float, height: float, margins: Mapping[str, float] | None = None) -> Figure:
    """Return an empty figure of this size in inches, independent of any window system.

    Args:
        margins: left, right, bottom, top and wspace, as shares (matplotlib's `subplots_adjust`), of a picture drawn
            for every run: fitting the margins to the words would take a third to half of its time. None fits them.
    """
    figure = Figure(figsize=(width, height), layout=None if margins else "constrained")
    if margins:
        figure.subplots_adjust(**margins)
    FigureCanvasAgg(figure)
    return figure


def fix_layout(figure: Figure) -> None:
    """Move the panels to where they fit once and for all, without drawing: savefig would do it again."""
    engine = figure.get_layout_engine()
    assert engine is not None
    engine.execute(figure)
    figure.set_layout_engine(None)  # "none" keeps a placeholder, for which savefig draws everything twice


def svg_of(figure: Figure) -> bytes:
    """Return a picture as a bare <svg> element without background."""
    out = io.BytesIO()
    with mpl.rc_context(STYLE):
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return plain_svg(out.getvalue().decode("utf-8")).encode("utf-8")


def plain_svg(text: str) -> str:
    """Return the bare <svg> element, with ids that are unique on a page with several pictures."""
    text = CONTROL.sub("\ufffd", text[text.index("<svg") :])
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'<(g|path) id="[A-Za-z0-9.]+_[\d_]+"', r"<\1", text)
    own = hashlib.sha256(text.encode("utf-8")).hexdigest()[:8]
    text = re.sub(
        r"<[^>]+>", lambda tag: re.sub(r'(id="|#)(\w{11,})', rf"\g<1>p{own}-\2", tag[0]), text
    )  # not in words
    return re.sub(r"\n\s*", "\n", text).replace(INK, "currentColor")
