"""The fixture `groundwire_score`, in runs of pytest of their own and with the real models."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

pytest_plugins = ["pytester"]

CONTEXT = "The Eiffel Tower is located in Paris, France. It was built in 1889 by Gustave Eiffel."
MARKER = "QUOKKA"


def test_a_test_asserts_on_a_score_and_never_passes_on_a_missing_one(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(f"""
        CONTEXT = {CONTEXT!r}

        def test_supported(groundwire_score):
            answer = "The Eiffel Tower is in Paris. It was built in 1889."
            assert groundwire_score("faithfulness", answer=answer, contexts=[CONTEXT]) == 1.0

        def test_unsupported(groundwire_score):
            answer = "The Eiffel Tower is in Rome. It was built in 1989."
            assert groundwire_score("faithfulness", answer=answer, contexts=CONTEXT) >= 0.5

        def test_nothing_to_score(groundwire_score):
            assert groundwire_score("faithfulness", answer="{MARKER} is what I say of it.", contexts=None) is None

        def test_a_wrong_name(groundwire_score):
            groundwire_score("faithfullness", answer="{MARKER}", contexts=CONTEXT)
        """)
    result = pytester.runpytest("-p", "no:randomly")
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(
        [
            "groundwire_score: faithfulness has no score: skipped, rag_context_null",
            "*InvalidJobError: metrics?0?: input should be 'faithfulness', * not 'faithfullness'",
        ]
    )


def test_the_plugin_is_found_and_loads_nothing_until_it_is_asked(tmp_path: Path) -> None:
    script = (
        "import pytest, sys\n"
        "assert pytest.main(['--fixtures', '-q', '-p', 'no:cacheprovider', sys.argv[1]]) == 0\n"
        "assert not {name for name in sys.modules if name.startswith(('onnxruntime', 'spacy', 'groundwire.schemas'))}\n"
    )
    ended = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "groundwire_score [session scope]" in ended.stdout
