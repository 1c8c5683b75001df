"""`groundwire schema`: the JSON Schemas of job and result."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from groundwire.schemas import Job, Result
from groundwire.worker.cli.exit_codes import Exit

if TYPE_CHECKING:
    from argparse import Namespace

DIALECT = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
"""What pydantic's schemas are written in."""

_ATTRIBUTE = re.compile(r"^ {4}(\w+): (.+(?:\n {5,}.+)*)", re.MULTILINE)


def run(args: Namespace) -> int:
    """Print one schema, or both as one object."""
    both = {
        "job": DIALECT | Job.model_json_schema(mode="validation"),
        "result": DIALECT | Result.model_json_schema(mode="serialization"),
    }
    for schema in both.values():
        for part in (schema, *schema.get("$defs", {}).values()):
            _describe_fields(part)
    print(json.dumps(both[args.which] if args.which else both, indent=2, ensure_ascii=False))
    return Exit.OK


def _describe_fields(schema: dict[str, Any]) -> None:
    """Move what a model's docstring says of its fields to those fields, where schema tools look for it."""
    about, found, fields = schema.get("description", "").partition("\n\nAttributes:\n")
    if found:
        schema["description"] = about
        for name, meaning in _ATTRIBUTE.findall(fields):
            schema["properties"][name]["description"] = " ".join(meaning.split())
