"""docker-compose.yml is accepted by Compose and describes services that start, watch and stop Groundwire well."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from groundwire.worker.cli.parser import build_parser

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docker-compose.yml"
COMPOSE: dict[str, Any] = yaml.safe_load(FILE.read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OWN = ("intake", "worker")

each_service = pytest.mark.parametrize("name", SERVICES)
each_own = pytest.mark.parametrize("name", OWN)


def compose_command() -> list[str] | None:
    """Compose as a plugin of docker or as a program, whichever there is."""
    for command in (["docker", "compose"], ["docker-compose"]):
        if (
            shutil.which(command[0])
            and not subprocess.run([*command, "version"], check=False, capture_output=True).returncode
        ):
            return command
    return None


@pytest.mark.skipif(compose_command() is None, reason="Compose is not installed")
@pytest.mark.parametrize(
    "environment",
    [{}, {"GROUNDWIRE_WORKER_REPLICAS": "3", "GROUNDWIRE_REDIS_PORT": "7000", "BAKE_EMBEDDED_MODEL": "0"}],
    ids=["defaults", "all variables set"],
)
def test_compose_accepts_the_file(environment: dict[str, str]) -> None:
    command = [*(compose_command() or ()), "-f", str(FILE), "config", "-q"]
    run = subprocess.run(command, check=False, capture_output=True, text=True, env=os.environ | environment)
    assert (run.returncode, run.stderr) == (0, "")


def test_services_are_a_server_an_intake_and_a_worker() -> None:
    assert set(SERVICES) == {"redis", *OWN}


@each_service
def test_service_is_watched_restarted_and_given_time_to_stop(name: str) -> None:
    service = SERVICES[name]
    assert service["restart"] == "unless-stopped"
    assert re.fullmatch(r"\d+s", service["stop_grace_period"])
    assert service["healthcheck"]["test"][0] == "CMD"
    assert {"interval", "timeout", "retries"} <= set(service["healthcheck"])


@each_service
def test_service_has_no_rights_that_it_does_not_need(name: str) -> None:
    service = SERVICES[name]
    assert "no-new-privileges:true" in service["security_opt"]
    assert not {"privileged", "cap_add", "devices", "network_mode", "pid", "ipc"} & set(service)
    assert "docker.sock" not in json.dumps(service)


@each_own
def test_own_services_write_nowhere_but_to_volumes(name: str) -> None:
    assert SERVICES[name]["read_only"] is True
    assert SERVICES[name]["cap_drop"] == ["ALL"]
    assert "user" not in SERVICES[name], "the image names the user"


@each_service
def test_volumes_are_declared(name: str) -> None:
    used = {volume.split(":")[0] for volume in SERVICES[name].get("volumes", ())}
    assert used <= set(COMPOSE["volumes"])


@each_own
def test_own_services_run_the_command_of_their_name(name: str) -> None:
    assert SERVICES[name]["command"] == [name]
    assert build_parser().parse_args(SERVICES[name]["command"]).command == name


@each_own
def test_own_services_are_watched_by_the_health_command(name: str) -> None:
    program, *arguments = SERVICES[name]["healthcheck"]["test"][1:]
    assert program == "groundwire"
    assert build_parser().parse_args(arguments).command == "health"


@each_own
def test_own_services_wait_for_the_server_and_find_it(name: str) -> None:
    assert SERVICES[name]["depends_on"] == {"redis": {"condition": "service_healthy"}}
    assert SERVICES[name]["environment"]["GROUNDWIRE_REDIS_URL"] == "redis://redis:6379/0"


@each_own
def test_heartbeat_is_written_where_writing_is_possible(name: str) -> None:
    heartbeat = Path(SERVICES[name]["environment"]["GROUNDWIRE_HEARTBEAT_FILE"])
    assert str(heartbeat.parent) in SERVICES[name]["tmpfs"]


@each_own
def test_settings_are_ones_that_groundwire_reads(name: str) -> None:
    sources = "".join(
        path.read_text() for folder in ("models", "client", "worker") for path in (ROOT / folder).rglob("*.py")
    )
    assert {setting for setting in SERVICES[name]["environment"] if setting not in sources} == set()


def test_workers_can_be_multiplied_and_keep_their_models() -> None:
    worker = SERVICES["worker"]
    assert worker["deploy"]["replicas"] == "${GROUNDWIRE_WORKER_REPLICAS:-1}"
    assert "container_name" not in worker
    assert "ports" not in worker
    assert worker["volumes"] == ["models:/var/cache/groundwire"]


def test_server_keeps_its_data_and_is_reached_from_this_machine_alone() -> None:
    redis = SERVICES["redis"]
    options = dict(zip(redis["command"][1::2], redis["command"][2::2], strict=True))
    assert options["--appendonly"] == "yes"
    assert options["--maxmemory-policy"] == "noeviction"
    assert redis["volumes"] == ["redis:/data"]
    assert all(port.startswith("127.0.0.1:") for port in redis["ports"])
    assert not redis["image"].endswith(":latest")


def test_head_comment_names_every_variable() -> None:
    text = FILE.read_text()
    variables = set(re.findall(r"\$\{(\w+)", text))
    assert variables == {name for name in variables if f"\n#   {name} " in text}
