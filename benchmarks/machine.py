"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

from groundwire.models.threads import available_cpus

CPUINFO = Path("/proc/cpuinfo")
PACKAGES = ("groundwire", "onnxruntime", "celery", "spacy")


def describe_machine() -> str:
    """Return two lines: the processor, and the versions of what ran on it."""
    load = os.getloadavg()[0]
    hardware = f"{_processor()}, {available_cpus():g} of {os.cpu_count()} CPUs usable, load before {load:.1f}"
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"machine: {hardware}\nversions: Python {platform.python_version()}, {versions}, {platform.system()}"


def _processor() -> str:
    """Return the processor's name; where there is none to be read, its architecture."""
    name = platform.processor() or platform.machine()
    instructions = ""
    if CPUINFO.exists():
        fields = dict(line.split(":", 1) for line in CPUINFO.read_text().splitlines() if ":" in line)
        read = {key.strip(): value.strip() for key, value in fields.items()}
        name = read.get("model name", name)
        known = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8")
        instructions = " ".join(flag for flag in known if flag in read.get("flags", "").split())
    return f"{name} ({instructions})" if instructions else name
