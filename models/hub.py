"""Models of the Hugging Face Hub: pulled on command into the cache folder, and never otherwise.

A pulled model lies in `hub/<owner>--<name>/<revision>` with a lock file. Files are collected in a folder beside it, so
that a pull that was interrupted goes on where it was, and one that fails leaves what was there before.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundwire.models.build_cache import CACHE_VARIABLE, cache_folder
from groundwire.models.deberta_config import DebertaConfig
from groundwire.models.embedded import file_sha256
from groundwire.models.label_order import columns_of
from groundwire.models.model_lock import LockedFile, ModelLock, read_lock, write_lock
from groundwire.models.model_source import (
    CONFIG,
    GRAPHS,
    PICKLE_ADVICE,
    PICKLES,
    SHARDS,
    TOKENIZER,
    WEIGHTS,
    ModelSource,
    read_folder,
    shards_of,
)
from groundwire.schemas.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ENDPOINT_VARIABLE = "HF_ENDPOINT"
INSTALL_HINT = "pip install 'groundwire[worker]'"
DEFAULT_REVISION = "main"

_PART = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_NAME = re.compile(rf"({_PART}/{_PART})(?:@([A-Za-z0-9][A-Za-z0-9._/-]*))?", re.ASCII)
_GRAPH_DATA = "_data"
"""What is added to the name of an ONNX file for the file that holds its weights, where they are too large for one."""


@dataclass(frozen=True)
class HubModel:
    """A model on the Hub.

    Attributes:
        model: Its id, `owner/name`.
        revision: A branch, tag or commit.
    """

    model: str
    revision: str

    @classmethod
    def parse(cls, name: str, revision: str | None = None) -> HubModel | None:
        """Read `owner/name` or `owner/name@revision`; None if the name does not have that form.

        Args:
            name: What GROUNDWIRE_MODEL names.
            revision: Stands before one in the name.
        """
        match = _NAME.fullmatch(name)
        if match is None or ".." in name:
            return None
        return cls(match[1], revision or match[2] or DEFAULT_REVISION)

    @property
    def name(self) -> str:
        """What GROUNDWIRE_MODEL calls it."""
        return self.model if self.revision == DEFAULT_REVISION else f"{self.model}@{self.revision}"

    @property
    def folder(self) -> Path:
        """Where it is pulled to."""
        return cache_folder() / "hub" / self.model.replace("/", "--") / self.revision.replace("/", "--")


def pulled(wanted: HubModel) -> ModelLock | None:
    """Give the lock of a pulled model; None if it was not pulled.

    Raises:
        ModelError: The lock is damaged.
    """
    return read_lock(wanted.folder)


def read_pulled(wanted: HubModel) -> ModelSource:
    """Read a pulled model, without any call to the Hub.

    Raises:
        ModelError: It was not pulled, a file is missing or altered, or it is none that Groundwire can run.
    """
    if pulled(wanted) is None:
        raise ModelError(
            f"model {wanted.name} is not on this machine yet; pull it: groundwire models pull --model {wanted.name} "
            f"(it is kept in {cache_folder()}, see {CACHE_VARIABLE})"
        )
    return read_folder(wanted.folder, wanted.name)


def pull(wanted: HubModel, report: Callable[[str], None]) -> ModelLock:
    """Download what is needed of a model, and record its commit and the SHA-256 of each file.

    The Hub's token and HF_ENDPOINT are taken from the environment, as huggingface_hub does. Its configuration comes
    first: a model that can't be run is refused before its weights are downloaded.

    Args:
        wanted: The model.
        report: Gets a line on each file.

    Raises:
        ModelError: It is not there, not reachable, can't be run, or a file is not what the Hub says.
    """
    hub = _hub()
    endpoint = os.environ.get(ENDPOINT_VARIABLE) or None
    try:
        info = hub.HfApi(endpoint=endpoint).model_info(wanted.model, revision=wanted.revision, files_metadata=True)
        download = _Download(hub, wanted, info, endpoint, report)
        lock = download.run()
    except ModelError:
        raise
    except OSError as error:
        if error.errno is not None:
            raise ModelError(
                f"model {wanted.name} can't be written to {wanted.folder} ({error.strerror}); set {CACHE_VARIABLE} to "
                "a folder with enough room"
            ) from error
        raise ModelError(_explained(hub, wanted, error)) from error
    except Exception as error:  # huggingface_hub and its HTTP library share no base class
        raise ModelError(_explained(hub, wanted, error)) from error
    return lock


def _hub() -> Any:  # noqa: ANN401 - a module
    # like onnxruntime's: nothing that is not asked for is sent
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        import huggingface_hub  # noqa: PLC0415 - needed for pulling only
    except ImportError as error:
        raise ModelError(f"pulling a model needs the package huggingface_hub: {INSTALL_HINT}") from error
    return huggingface_hub


def _explained(hub: Any, wanted: HubModel, error: Exception) -> str:  # noqa: ANN401 - a module
    kinds = hub.errors
    if isinstance(error, kinds.GatedRepoError):
        return f"model {wanted.name} is gated: accept its terms on the Hub and set HF_TOKEN to a token of your account"
    if isinstance(error, kinds.RevisionNotFoundError):
        return f"model {wanted.model} has no revision {wanted.revision!r}; see its page on the Hub for those there are"
    if isinstance(error, kinds.RepositoryNotFoundError):
        return f"model {wanted.model} is not on the Hub, or private: check its name, or set HF_TOKEN"
    where = os.environ.get(ENDPOINT_VARIABLE) or "https://huggingface.co"
    return (
        f"model {wanted.name} can't be pulled from {where} ({type(error).__name__}); check the network and "
        f"{ENDPOINT_VARIABLE}, then run it again: it goes on where it was"
    )


class _Download:
    """One pull, into a folder that takes its place when it is complete."""

    def __init__(
        self,
        hub: Any,  # noqa: ANN401 - a module
        wanted: HubModel,
        info: Any,  # noqa: ANN401 - of a package that is imported late
        endpoint: str | None,
        report: Callable[[str], None],
    ) -> None:
        self._hub, self._wanted, self._info, self._endpoint, self._report = hub, wanted, info, endpoint, report
        self._files = {sibling.rfilename: sibling for sibling in info.siblings or ()}
        self._folder = wanted.folder.with_name(f".{wanted.folder.name}.partial")

    def run(self) -> ModelLock:
        self._folder.mkdir(parents=True, exist_ok=True)
        locked = {name: self._fetch(name) for name in (CONFIG, TOKENIZER)}
        self._refuse_what_cannot_run()
        locked |= {name: self._fetch(name) for name in self._weights(locked)}
        lock = ModelLock(self._wanted.model, self._wanted.revision, str(self._info.sha), locked)
        self._remove_others(locked)
        write_lock(self._folder, lock)
        self._put_in_place()
        return lock

    def _fetch(self, name: str) -> LockedFile:
        if name not in self._files:
            advice = (
                "use a revision or model that has one, or save it with its fast tokenizer into a folder of your own "
                "and give that folder"
            )
            raise ModelError(f"model {self._wanted.name} has no {name}; {advice}")
        path = Path(
            self._hub.hf_hub_download(
                self._wanted.model,
                name,
                revision=self._info.sha,
                local_dir=self._folder,
                endpoint=self._endpoint,
            )
        )
        locked = LockedFile(file_sha256(path), path.stat().st_size)
        large = self._files[name].lfs
        if large is not None and large.sha256 != locked.sha256:
            path.unlink()
            raise ModelError(
                f"model {self._wanted.name}: {name} came with SHA-256 {locked.sha256[:12]}…, but the Hub states "
                f"{large.sha256[:12]}…; it was removed, pull it again"
            )
        self._report(f"{name}  {locked.bytes:,} bytes  sha256 {locked.sha256}")
        return locked

    def _refuse_what_cannot_run(self) -> None:
        config: Mapping[str, Any] = json.loads((self._folder / CONFIG).read_bytes())
        columns_of(config, self._wanted.name)
        if WEIGHTS in self._files or SHARDS in self._files:
            try:
                DebertaConfig.from_json(config)
            except ModelError as error:
                raise ModelError(f"model {self._wanted.name}: {error}") from error

    def _weights(self, locked: dict[str, LockedFile]) -> list[str]:
        if WEIGHTS in self._files:
            return [WEIGHTS]
        if SHARDS in self._files:
            locked[SHARDS] = self._fetch(SHARDS)
            return shards_of(self._folder / SHARDS)
        for graph in GRAPHS:
            if graph in self._files:
                return [name for name in (graph, graph + _GRAPH_DATA) if name in self._files]
        if any(name.endswith(PICKLES) for name in self._files):
            raise ModelError(f"model {self._wanted.name}: {PICKLE_ADVICE}")
        raise ModelError(f"model {self._wanted.name}: has neither {WEIGHTS} nor {GRAPHS[0]}; use another model")

    def _remove_others(self, locked: dict[str, LockedFile]) -> None:
        """Remove what an earlier pull of another commit left, and huggingface_hub's notes on how far it is."""
        shutil.rmtree(self._folder / ".cache", ignore_errors=True)
        for path in self._folder.rglob("*"):
            if path.is_file() and path.relative_to(self._folder).as_posix() not in locked:
                path.unlink()

    def _put_in_place(self) -> None:
        folder = self._wanted.folder
        old = folder.with_name(f".{folder.name}.old")
        shutil.rmtree(old, ignore_errors=True)
        if folder.exists():
            folder.replace(old)
        self._folder.replace(folder)
        shutil.rmtree(old, ignore_errors=True)
