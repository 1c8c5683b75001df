"""Scoring as pure functions: a job in, metric results out. Models and splitters come in through `ports`."""
