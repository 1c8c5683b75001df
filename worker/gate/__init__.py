"""A gate for releases: rows of answers in, a verdict by minimums and against a baseline out."""
