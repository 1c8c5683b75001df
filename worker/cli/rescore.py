"""`groundwire rescore`: jobs that were kept are scored once more, under ids of their own."""

from __future__ import annotations

import sys
from hashlib import sha256
from typing import TYPE_CHECKING

from groundwire.client import Client
from groundwire.schemas import BacklogError, InvalidJobError, Priority, ProfileName
from groundwire.schemas.limits import MAX_ID_CHARS
from groundwire.worker.cli.arguments import environment
from groundwire.worker.cli.exit_codes import Exit
from groundwire.worker.cli.plain import printable
from groundwire.worker.configured_profiles import configured_profiles
from groundwire.worker.settings import WorkerSettings

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from groundwire.schemas import Job


def run(args: Namespace) -> int:
    """Submit the jobs anew and print the new ids; those that have such a result already are known and not sent."""
    settings = WorkerSettings.from_env(environment(args))
    hashes = {name: profile.config_hash for name, profile in configured_profiles(settings).items()}
    profile = None if args.profile is None else ProfileName(args.profile)
    sent = known = refused = 0
    with Client(settings) as client:
        for job in client.scored(args.since):
            again = _again(job, profile, hashes)
            try:
                submitted = client.submit(again)
            except InvalidJobError as error:
                refused += 1
                print(f"{printable(again.id)}: {error}", file=sys.stderr)
                continue
            except BacklogError as error:
                print(f"stopped: {error}; what was sent is not sent again", file=sys.stderr)
                return Exit.WORK_FAILED
            sent += submitted.entry_id is not None
            known += submitted.entry_id is None
            print(f"{printable(again.id)} {printable(again.trace_id)}")
    print(f"jobs sent: {sent}, scored like that before or dropped: {known}, refused: {refused}", file=sys.stderr)
    if not sent + known + refused:
        print(
            "nothing was kept since then; GROUNDWIRE_KEEP_JOBS_S of the workers says for how long jobs are",
            file=sys.stderr,
        )
    return Exit.BAD_INPUT if refused else Exit.OK


def _again(job: Job, profile: ProfileName | None, hashes: Mapping[ProfileName, str]) -> Job:
    """The job under the id `<job id>@<config hash>`, behind all others."""
    profile = profile or job.profile or ProfileName.EVIDENCE
    suffix = f"@{hashes[profile]}"
    original = job.id
    if len(original) + len(suffix) > MAX_ID_CHARS:
        original = sha256(original.encode()).hexdigest()[: MAX_ID_CHARS - len(suffix)]
    changes = {"job_id": original + suffix, "profile": profile, "priority": Priority.BACKFILL, "rescored_from": job.id}
    return job.model_copy(update=changes)
