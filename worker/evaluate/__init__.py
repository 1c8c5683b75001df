"""How often the verdict agrees with people: labelled rows in, figures and a report out.

Rows come from `dataset`, are scored by `scoring_run`, and become numbers in `measures` and `figures`. What is shown of
them, on a terminal, as JSON, as Markdown and as plots, has a module each and computes nothing.
"""
