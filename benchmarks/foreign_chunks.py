"""How many verdicts chunks about something else change: `python benchmarks/foreign_chunks.py FILES`.

FILES are labelled rows as `groundwire evaluate` reads them. Each drawn row is scored for faithfulness under profile
`evidence` twice: as it is, and with chunks of other rows among its own, each at a drawn place. Skip rules are at their
lowest. A sentence changes its verdict if it is entailed before and not after, or the other way round.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import TYPE_CHECKING

from groundwire.schemas import Chunk, Label, MetricName, ProfileName
from groundwire.worker.evaluate.dataset import read_dataset
from groundwire.worker.scorer import JobScorer
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundwire.schemas import Job

FOREIGN_CHUNKS = 5
"""As many as a retriever that looked for something else gives."""

SHORT_CHUNK = 200
"""Characters below which a chunk goes with those behind it: some sets have a chunk for each sentence."""

SENTENCES = 5
"""So many of them together at most."""

SAME_LINE = 20
"""Characters from which on a line that both texts have tells that they are of one document."""

SETTINGS = {
    "GROUNDWIRE_THREADS": "1",
    "GROUNDWIRE_MIN_CONTEXT_CHARS": "0",
    "GROUNDWIRE_MIN_COMPLETION_TOKENS": "0",
    "GROUNDWIRE_MIN_SENTENCE_WORDS": "1",
}


def main(argv: Sequence[str] | None = None) -> None:
    """Measure each file and print what changed."""
    parser = argparse.ArgumentParser(description="Count the verdicts that chunks about something else change.")
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="JSONL, plain or gzipped")
    parser.add_argument("--rows", type=int, default=150, help="rows drawn of each file (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn (default: %(default)s)")
    options = parser.parse_args(argv)
    scorer = JobScorer.load(WorkerSettings.from_env(SETTINGS))
    for path in options.files:
        sentences = labels = verdicts = 0
        for own, mixed in _pairs(path, options.rows, options.seed):
            for before, after in zip(_labels(scorer, own), _labels(scorer, mixed), strict=True):
                sentences += 1
                labels += before is not after
                verdicts += (before is Label.ENTAILMENT) is not (after is Label.ENTAILMENT)
        print(
            f"{path.name}: of {sentences} sentences {verdicts / sentences:.1%} change their verdict, "
            f"{labels / sentences:.1%} their label",
            flush=True,
        )


def _pairs(path: Path, count: int, seed: int) -> Iterator[tuple[Job, Job]]:
    """Give each drawn row as it is and with chunks of others."""
    draw = random.Random(seed)  # noqa: S311 - nothing secret
    rows = read_dataset(str(path), "supported", ProfileName.EVIDENCE).rows
    for row in draw.sample(rows, min(count, len(rows))):
        mixed = _texts(row.job)
        whole = "\n".join(mixed)
        foreign: list[str] = []
        while len(foreign) < FOREIGN_CHUNKS:
            other = draw.choice(rows).job
            text = _a_chunk(other, draw)
            is_new = text.strip() and text not in foreign and text not in whole
            if is_new and (other.query is None or other.query != row.job.query) and not _have_a_line(text, whole):
                foreign.append(text)
        for text in foreign:
            mixed.insert(draw.randrange(len(mixed) + 1), text)
        yield (
            row.job,
            row.job.model_copy(update={"contexts": tuple(Chunk(text=text) for text in mixed), "rag_context": None}),
        )


def _texts(job: Job) -> list[str]:
    chunks = job.contexts if job.contexts is not None else (Chunk(text=job.rag_context),)
    return [chunk.text or "" for chunk in chunks]


def _a_chunk(job: Job, draw: random.Random) -> str:
    texts = _texts(job)
    if not texts:
        return ""
    place = draw.randrange(len(texts))
    return texts[place] if len(texts[place]) >= SHORT_CHUNK else "\n".join(texts[place : place + SENTENCES])


def _have_a_line(text: str, whole: str) -> bool:
    return any(line in whole for line in text.split("\n") if len(line) >= SAME_LINE)


def _labels(scorer: JobScorer, job: Job) -> list[Label]:
    metric = scorer.score(job).metrics[MetricName.FAITHFULNESS]
    return [one.label for one in metric.sentence_results if one.label is not None]


if __name__ == "__main__":
    main()
