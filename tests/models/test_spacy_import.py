from __future__ import annotations

import subprocess
import sys
import textwrap


def test_spacy_comes_without_its_command_line_and_has_it_when_asked() -> None:
    # a process of its own: in this one other tests have imported spaCy before
    program = """
        import sys
        from groundwire.models.spacy_import import import_spacy
        spacy = import_spacy()
        assert "typer" not in sys.modules and "spacy.cli" not in sys.modules
        assert import_spacy() is spacy
        print(spacy.info(silent=True)["spacy_version"] == spacy.__version__)
        from spacy.cli import download
        print(download.__module__)
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=False
    )
    assert (ended.stdout.split(), ended.returncode) == (["True", "spacy.cli.download"], 0), ended.stderr


def test_importing_spacy_starts_no_thread_that_a_fork_would_lose() -> None:
    program = """
        import os, sys
        import numpy
        from groundwire.models.spacy_import import import_spacy
        tasks = lambda: len(os.listdir("/proc/self/task")) if sys.platform == "linux" else 0
        before = tasks()
        import_spacy()
        print(tasks() - before)
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=False
    )
    assert (ended.stdout, ended.returncode) == ("0\n", 0), ended.stderr
