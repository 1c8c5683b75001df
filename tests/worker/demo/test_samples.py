from __future__ import annotations

from groundwire.worker.demo.run import read_samples


def test_samples_cover_what_the_demo_shows() -> None:
    jobs = {job.trace_id: job for job in read_samples()}
    assert len(jobs) >= 10
    long = jobs["sample-long-context"].rag_context or ""
    assert len(long.split()) >= 1500
    paragraphs = long.split("\n\n")
    assert len(set(paragraphs)) == len(paragraphs) >= 8
    (chunk,) = jobs["sample-html-table"].contexts or ()
    assert chunk.html is not None
    assert "<table>" in chunk.html
    assert len(jobs["sample-several-chunks"].contexts or ()) >= 3
