"""`groundwire dead`: the jobs that could not be scored."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from groundwire.client import Client, ClientSettings
from groundwire.worker.cli.arguments import environment
from groundwire.worker.cli.exit_codes import Exit
from groundwire.worker.cli.plain import printable

if TYPE_CHECKING:
    from argparse import Namespace

    from groundwire.client import DeadLetter, DeadLetters


def run(args: Namespace) -> int:
    """List, show, replay or remove dead letters."""
    with Client(ClientSettings.from_env(environment(args))) as client:
        if args.action == "list":
            for letter in client.dead.list(reason=args.reason, older_than_s=args.older_than):
                print(json.dumps(_fields(letter), ensure_ascii=False) if args.json else _line(letter))
        elif args.action == "show":
            letter = client.dead.show(args.entry)
            payload = None if letter.payload is None else letter.payload.decode(errors="backslashreplace")
            print(json.dumps(_fields(letter) | {"payload": payload}, ensure_ascii=False, indent=2))
        elif args.action == "purge":
            _purge(client.dead, args)
        elif args.all:
            _replay_all(client.dead)
        else:
            print(client.dead.replay(args.entry))
    return Exit.OK


def _purge(letters: DeadLetters, args: Namespace) -> None:
    entry_ids = [letter.entry_id for letter in letters.list(reason=args.reason, older_than_s=args.older_than)]
    if args.yes:
        print(f"removed: {letters.purge(entry_ids)}")
    else:
        print(f"would be removed: {len(entry_ids)}; repeat the command with --yes to remove them for good")


def _replay_all(letters: DeadLetters) -> None:
    """Replay what can be; the list is taken first, for a job that fails again returns to it."""
    entries = [(letter.entry_id, letter.replayable) for letter in letters.list()]
    for entry_id, replayable in entries:
        if replayable:
            print(letters.replay(entry_id))
        else:
            print(f"{entry_id}: left where it is; its job was not kept whole", file=sys.stderr)


def _fields(letter: DeadLetter) -> dict[str, Any]:
    """Everything but the payload, which may hold private text and is shown on demand only."""
    fields = asdict(letter) | {"replayable": letter.replayable}
    del fields["payload"]
    return fields


def _line(letter: DeadLetter) -> str:
    attempts = f"{letter.attempts} attempt" + ("" if letter.attempts == 1 else "s")
    return printable(f"{letter.entry_id}  {letter.reason}  {letter.trace_id or '-'}  {attempts}  {letter.error}")
