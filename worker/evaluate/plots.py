"""Plots of an evaluation as SVG files. The one module that imports matplotlib, which the extra `evaluate` brings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from groundwire.worker.evaluate.figures import arrays
from groundwire.worker.evaluate.measures import BINS, roc_curve

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.axes import Axes

    from groundwire.worker.evaluate.report import Evaluated

SIZE_INCHES = (4.6, 4.0)
"""Three of them stand side by side on a page."""

SUPPORTED_COLOUR = "#1b7f5c"
UNSUPPORTED_COLOUR = "#c2452d"
"""Green and red that differ in lightness too, for those who can't tell the hues apart."""

DIAGONAL_COLOUR = "#888888"


def draw_plots(evaluated: Evaluated, folder: Path, stem: str) -> dict[str, str]:
    """Draw the plots of a file.

    Args:
        evaluated: The file.
        folder: Where the SVG files go; it exists.
        stem: What their names begin with.

    Returns:
        Title of each plot to the name of its file in the folder.
    """
    plots: dict[str, tuple[str, Callable[[Axes, Evaluated], None]]] = {
        "Reliability": ("reliability", _reliability),
        "ROC curve": ("roc", _roc),
        "Values by label": ("values", _values),
    }
    names = {}
    for title, (ending, draw) in plots.items():
        names[title] = f"{stem}-{ending}.svg"
        figure = Figure(figsize=SIZE_INCHES, layout="constrained")
        axes = figure.add_subplot()
        draw(axes, evaluated)
        axes.set_title(title)
        # ids that don't change from run to run, so that plots can be compared, and text that stays text
        with mpl.rc_context({"svg.hashsalt": "groundwire", "svg.fonttype": "none"}):
            figure.savefig(folder / names[title], format="svg", metadata={"Date": None})
    return names


def _draw_diagonal(axes: Axes) -> None:
    axes.plot([0, 1], [0, 1], color=DIAGONAL_COLOUR, linestyle="--", linewidth=1.0)


def _reliability(axes: Axes, evaluated: Evaluated) -> None:
    """Share of supported rows over the value: on the diagonal the value is the probability of being supported."""
    bins = [one for one in evaluated.figures.reliability if one.rows]
    _draw_diagonal(axes)
    axes.bar(
        [one.low for one in bins],
        [one.supported_share or 0.0 for one in bins],
        width=1 / BINS,
        align="edge",
        color=SUPPORTED_COLOUR,
        edgecolor="white",
        alpha=0.85,
    )
    for one in bins:
        place = ((one.low + one.high) / 2, (one.supported_share or 0.0) + 0.01)
        axes.annotate(str(one.rows), place, ha="center", fontsize=7, color="#444444")
    axes.set(xlim=(0, 1), ylim=(0, 1.06), xlabel="value of the row", ylabel="share found supported by people")


def _roc(axes: Axes, evaluated: Evaluated) -> None:
    """Supported rows found over unsupported rows that pass, with the shipped verdict as a point."""
    points = roc_curve(*arrays(evaluated.scored))
    _draw_diagonal(axes)
    axes.plot(
        [0.0, *(point.unsupported_passed for point in points)],
        [0.0, *(point.supported_found for point in points)],
        color=SUPPORTED_COLOUR,
    )
    shipped = evaluated.figures.shipped.confusion
    if shipped.supported_found is not None and shipped.unsupported_found is not None:
        place = (1 - shipped.unsupported_found, shipped.supported_found)
        axes.plot(*place, "o", color=UNSUPPORTED_COLOUR, label="as shipped")
        axes.legend(loc="lower right")
    axes.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="unsupported rows that pass", ylabel="supported rows that pass")


def _values(axes: Axes, evaluated: Evaluated) -> None:
    """How the values of either class are spread."""
    labels, values = arrays(evaluated.scored)
    edges = np.linspace(0, 1, 2 * BINS + 1)
    for name, chosen, colour in (
        ("supported", labels, SUPPORTED_COLOUR),
        ("unsupported", ~labels, UNSUPPORTED_COLOUR),
    ):
        axes.hist(values[chosen], bins=edges.tolist(), alpha=0.6, color=colour, label=name)
    axes.legend()
    axes.set(xlim=(0, 1), xlabel="value of the row", ylabel="rows")
