"""`groundwire models`: the model catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.models import catalogue
from groundwire.worker.cli.arguments import environment
from groundwire.worker.cli.exit_codes import Exit
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from argparse import Namespace


def run(args: Namespace) -> int:
    """List models, or build or verify one."""
    if args.action == "list":
        for entry in catalogue.entries():
            _describe(entry)
        return Exit.OK
    name = WorkerSettings.from_env(environment(args)).model
    files = catalogue.resolve(name)
    done = "is ready" if args.action == "build" else "is intact"
    print(f"{name} {done}\n  {files.model_id}\n  {files.path_onnx}\n  sha256 {files.sha256}")
    return Exit.OK


def _describe(entry: catalogue.CatalogueEntry) -> None:
    accuracy = ", ".join(f"{name} {share:.3f}" for name, share in entry.accuracy.items())
    print(f"{entry.name}: {entry.description}")
    print(f"  source    {entry.source}")
    print(f"  licence   {entry.licence}")
    print(f"  size      {entry.megabytes} MB")
    print(f"  accuracy  {accuracy}")
