from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groundwire.worker.evaluate.figures import figures_by_source, figures_of, worst_misses

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.worker.evaluate.scoring_run import ScoredRow

    ScoreWritten = Callable[..., tuple[ScoredRow, ...]]


def test_auc_and_best_threshold_go_by_the_value_and_the_shipped_figures_by_the_labels(
    score_written: ScoreWritten,
) -> None:
    # a sentence is entailed from a third on, and the best place to cut these is above 0.4
    figures = figures_of(score_written((True, "0.9"), (True, "0.7 0.95"), (False, "0.4"), (False, "0.1 0.9")))
    assert (figures.rows, figures.supported, figures.in_error) == (4, 2, 0)
    assert figures.roc_auc == 1.0
    assert figures.shipped.threshold is None
    assert figures.shipped.confusion.false_supported == 1
    assert figures.shipped.balanced_accuracy == 0.75
    assert figures.shipped.f1 == pytest.approx(0.8)
    assert figures.best is not None
    assert (figures.best.threshold, figures.best.balanced_accuracy) == (0.7, 1.0)
    assert figures.calibration_error == pytest.approx((0.1 + 0.3 + 0.4 + 0.1) / 4)
    assert sum(one.rows for one in figures.reliability) == 4


def test_nothing_to_score_counts_as_not_supported_and_an_error_counts_in_nothing(score_written: ScoreWritten) -> None:
    figures = figures_of(
        score_written((True, "skip"), (False, "skip"), (True, "0.9"), (True, "error"), (True, "fault"))
    )
    assert (figures.rows, figures.supported, figures.in_error) == (3, 2, 2)
    assert figures.nothing_to_score == {"abstention": 2}
    assert figures.shipped.confusion.false_unsupported == 1
    assert figures.shipped.confusion.true_unsupported == 1
    assert figures.roc_auc == 0.75


def test_rows_in_error_alone_have_no_figures(score_written: ScoreWritten) -> None:
    figures = figures_of(score_written((True, "error")))
    assert (figures.rows, figures.in_error) == (0, 1)
    assert (figures.roc_auc, figures.best, figures.calibration_error) == (None, None, None)


def test_each_source_has_its_own_figures(score_written: ScoreWritten) -> None:
    rows = ((True, "0.9", "web"), (False, "0.1", "web"), (True, "0.2", "books"), (True, "0.8"))
    sources = figures_by_source(score_written(*rows))
    assert {name: figures.rows for name, figures in sources.items()} == {"(none)": 1, "books": 1, "web": 2}
    assert sources["web"].roc_auc == 1.0
    assert sources["books"].roc_auc is None
    assert figures_by_source(score_written((True, "0.9"), (False, "0.1"))) == {}


def test_the_worst_misses_are_the_farthest_off_of_either_kind(score_written: ScoreWritten) -> None:
    scored = score_written(
        (True, "0.9"), (False, "0.6"), (False, "0.8"), (False, "0.1"), (True, "0.2"), (True, "skip"), (True, "error")
    )
    passed, alarms = worst_misses(scored, 10)
    assert [one.row.line for one in passed] == [3, 2]
    assert [one.row.line for one in alarms] == [6, 5]
    passed, alarms = worst_misses(scored, 1)
    assert [one.row.line for one in (*passed, *alarms)] == [3, 6]
