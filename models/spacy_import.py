"""Imports spaCy without its command line, which takes as long as all the rest of it and 18 MB.

spaCy's package imports one function of its command line, and with it dozens of modules that a worker never needs. A
placeholder stands in for them while spaCy is imported; afterwards both `spacy.info` and `spacy.cli` work as ever.
"""

from __future__ import annotations

import importlib
import sys
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMMAND_LINE = "spacy.cli"
_INFO = f"{_COMMAND_LINE}.info"


def import_spacy() -> ModuleType:
    """Return the package spacy. It starts no threads, so that a process may fork after it.

    Raises:
        ImportError: It is not installed.
    """
    if "spacy" in sys.modules or _COMMAND_LINE in sys.modules:
        return importlib.import_module("spacy")
    with _placeholder():
        return importlib.import_module("spacy")


@contextmanager
def _placeholder() -> Iterator[None]:
    package, module = ModuleType(_COMMAND_LINE), ModuleType(_INFO)
    package.__path__ = []
    vars(module)["info"] = _info
    sys.modules |= {_COMMAND_LINE: package, _INFO: module}
    try:
        yield
    finally:
        del sys.modules[_COMMAND_LINE], sys.modules[_INFO]


def _info(*args: Any, **options: Any) -> Any:  # noqa: ANN401 - the function that it stands for takes and gives anything
    return importlib.import_module(_INFO).info(*args, **options)
