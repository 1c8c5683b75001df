"""Histograms of scores as inline SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

BINS = 10
"""Of width 0.1, which people read without a legend; the last one holds 1.0 too."""

BAR_WIDTH, PLOT_HEIGHT, MARGIN = 24, 90, 16
"""Pixels. The margin holds the numbers above the bars and the axis below them."""


def histogram(scores: Sequence[float]) -> str:
    """Draw how scores in 0..1 are spread, with the number of rows on each bar.

    Args:
        scores: At least one.
    """
    counts = [0] * BINS
    for score in scores:
        counts[min(int(score * BINS), BINS - 1)] += 1
    highest = max(counts)
    width, height = BAR_WIDTH * BINS, PLOT_HEIGHT + 2 * MARGIN
    base = MARGIN + PLOT_HEIGHT
    label = f"Scores from 0 to 1 in {BINS} bins: {', '.join(map(str, counts))}"
    parts = [f'<svg role="img" aria-label="{label}" viewBox="0 0 {width} {height}" width="{width}" height="{height}">']
    for index, count in enumerate(counts):
        tall = PLOT_HEIGHT * count / highest
        left = index * BAR_WIDTH
        parts.append(f'<rect x="{left + 1}" y="{base - tall:.1f}" width="{BAR_WIDTH - 2}" height="{tall:.1f}"/>')
        if count:
            middle = left + BAR_WIDTH / 2
            parts.append(f'<text x="{middle}" y="{base - tall - 3:.1f}" text-anchor="middle">{count}</text>')
    ends = (("0", 0, "start"), ("0.5", width / 2, "middle"), ("1", width, "end"))
    parts += [f'<text x="{x}" y="{height - 4}" text-anchor="{anchor}">{name}</text>' for name, x, anchor in ends]
    return "".join([*parts, "</svg>"])
