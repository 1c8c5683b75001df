"""What an evaluation found, as the JSON that other programs read: every figure, and every row by its id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict

from groundwire.schemas import Scorer, SentenceResult  # noqa: TC001 - pydantic reads the annotations at run time
from groundwire.schemas.clock import utc_now
from groundwire.worker.evaluate.figures import Figures, figures_by_source, figures_of
from groundwire.worker.result_texts import without_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.worker.evaluate.dataset import Dataset
    from groundwire.worker.evaluate.scoring_run import ScoredRow


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class RowReport(_Part):
    """One row.

    Attributes:
        line: Its line in the file, from 1.
        id: Its own id, where it has one.
        source: Its source, where it names one.
        supported: What people found.
        predicted: The verdict as shipped; null where the row is in error.
        value: The lowest probability of entailment among its scored sentences; 0 with nothing to score, null in error.
        skip_reason: Why there was nothing to score.
        problem: Why there is no verdict.
        sentences: Every sentence of the answer with its label, probabilities and evidence, by offsets; their texts are
            null unless they were asked for.
    """

    line: int
    id: str | None
    source: str | None
    supported: bool
    predicted: bool | None
    value: float | None
    skip_reason: str | None
    problem: str | None
    sentences: tuple[SentenceResult, ...]


class DatasetReport(_Part):
    """One file.

    Attributes:
        name: The file's name without folder and endings.
        path: The file, as it was named.
        rows_in_file: How many rows it has; more than were measured where a sample was drawn.
        figures: The figures of the rows that were measured.
        sources: The same for each source, where rows name theirs.
        rows: Every row.
    """

    name: str
    path: str
    rows_in_file: int
    figures: Figures
    sources: dict[str, Figures]
    rows: tuple[RowReport, ...]


class Report(_Part):
    """An evaluation.

    Attributes:
        v: Version of the format.
        evaluated_at: RFC 3339 time in UTC.
        label_field: The field that held the labels.
        sample: Rows drawn from each file; null: all.
        seed: What they were drawn by.
        scorer: What scored them; null where no row has a result.
        datasets: One for each file, in the order given.
    """

    v: Literal[1] = 1
    evaluated_at: str
    label_field: str
    sample: int | None
    seed: int
    scorer: Scorer | None
    datasets: tuple[DatasetReport, ...]


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A file with its scored rows and their figures.

    Attributes:
        dataset: The file.
        scored: Its rows, in order.
        figures: Of all of them.
        sources: Of each source by its name; empty where no row names one.
    """

    dataset: Dataset
    scored: tuple[ScoredRow, ...]
    figures: Figures
    sources: dict[str, Figures]

    @classmethod
    def of(cls, dataset: Dataset, scored: Sequence[ScoredRow]) -> Evaluated:
        """Compute the figures of a file's scored rows."""
        return cls(dataset, tuple(scored), figures_of(scored), figures_by_source(scored))


def scorer_of(evaluated: Sequence[Evaluated]) -> Scorer | None:
    """Give what scored the rows; None where none has a result. It is the same for all of them."""
    results = (one.result for each in evaluated for one in each.scored)
    return next((result.scorer for result in results if result is not None), None)


def make_report(
    evaluated: Sequence[Evaluated], *, label_field: str, sample: int | None, seed: int, texts: bool
) -> Report:
    """Put an evaluation together.

    Args:
        evaluated: The files.
        label_field: The field that held the labels.
        sample: Rows drawn from each file; None: all.
        seed: What they were drawn by.
        texts: Whether sentences and evidence are quoted.
    """
    return Report(
        evaluated_at=utc_now("seconds"),
        label_field=label_field,
        sample=sample,
        seed=seed,
        scorer=scorer_of(evaluated),
        datasets=tuple(
            DatasetReport(
                name=one.dataset.name,
                path=one.dataset.path,
                rows_in_file=one.dataset.total,
                figures=one.figures,
                sources=one.sources,
                rows=tuple(_row(scored, texts=texts) for scored in one.scored),
            )
            for one in evaluated
        ),
    )


def _row(scored: ScoredRow, *, texts: bool) -> RowReport:
    row, failed = scored.row, scored.problem is not None
    sentences: tuple[SentenceResult, ...] = ()
    if scored.result is not None:
        shown = scored.result if texts else without_texts(scored.result)
        sentences = shown.metrics["faithfulness"].sentence_results
    return RowReport(
        line=row.line,
        id=row.id,
        source=row.source,
        supported=row.supported,
        predicted=None if failed else scored.predicted,
        value=None if failed else scored.value,
        skip_reason=scored.skip_reason,
        problem=scored.problem,
        sentences=sentences,
    )
