"""A disk that forgets what was not synced: `python -m tests.support.power_cut WORK PATH N CUTS SEED`.

A SQLite VFS notes every write, truncation, deletion and sync of a work of workload.py, and every acknowledgement
between them. Afterwards it lays out the files as a power cut at some of these moments leaves them: what was synced,
and of the rest nothing, everything, or any sectors in any order.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import apsw
from tests.support import workload

from lionstudio.settings import load_settings
from lionstudio.state.sqlite.open import set_durability

_BASE = "unix"
_SECTOR = 512
Survivors = Literal["none", "all", "some"]


class Step(NamedTuple):
    """One step of a work: `data` is of a write, `number` its offset, a length or a count."""

    what: Literal["open", "write", "truncate", "sync", "delete", "sync folder", "acknowledge"]
    file: str = ""
    data: bytes = b""
    number: int = 0


class Disk(apsw.VFS):
    """The default VFS of this process; the steps of all files are in one list."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        super().__init__("forgetful", _BASE, makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path is None:  # a temporary file: not a part of the database
            return apsw.VFSFile(_BASE, name, flags)
        self.steps.append(Step("open", os.path.basename(path)))
        return DiskFile(self.steps, os.path.basename(path), name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        super().xDelete(filename, syncdir)
        self.steps.append(Step("delete", os.path.basename(filename)))
        if syncdir:
            self.steps.append(Step("sync folder"))


class DiskFile(apsw.VFSFile):
    def __init__(self, steps: list[Step], base: str, name: Any, flags: list[int]) -> None:
        self._steps = steps
        self._base = base
        # SQLite's own VFS also syncs the folder at the first sync of a journal or a log that it opened
        self._folder_waits = bool(flags[0] & apsw.SQLITE_OPEN_CREATE) and base.endswith(("-journal", "-wal"))
        super().__init__(_BASE, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self._steps.append(Step("write", self._base, bytes(data), offset))

    def xTruncate(self, newsize: int) -> None:
        super().xTruncate(newsize)
        self._steps.append(Step("truncate", self._base, number=newsize))

    def xSync(self, flags: int) -> None:
        # noted only: the files of the work itself are not looked at
        self._steps.append(Step("sync", self._base))
        if self._folder_waits:
            self._folder_waits = False
            self._steps.append(Step("sync folder"))


class Content:
    """What a file holds on the disk, and the steps that only memory knows."""

    def __init__(self) -> None:
        self.synced = b""
        self.waiting: list[Step] = []

    def sync(self) -> None:
        self.synced = self.after(self.waiting)
        self.waiting = []

    def after(self, steps: Iterable[Step]) -> bytes:
        """The content when these of the waiting steps have reached the disk."""
        content = bytearray(self.synced)
        for step in steps:
            if step.what == "truncate":
                del content[step.number :]
            end = step.number + len(step.data)
            content.extend(bytes(max(0, end - len(content))))
            content[step.number : end] = step.data
        return bytes(content)

    def survivors(self, survivors: Survivors, dice: random.Random) -> list[Step]:
        if survivors != "some":
            return self.waiting if survivors == "all" else []
        share = dice.random()
        return [part for step in self.waiting for part in _sectors(step) if dice.random() < share]


def _sectors(step: Step) -> list[Step]:
    """A write in parts that a disk writes whole."""
    cuts = range(0, len(step.data), _SECTOR)
    return [step._replace(data=step.data[at : at + _SECTOR], number=step.number + at) for at in cuts] or [step]


def after_power_cut(steps: Sequence[Step], survivors: Survivors, dice: random.Random) -> dict[str, bytes]:
    """The files that are there after these steps and a power cut."""
    memory: dict[str, Content] = {}  # the names in the folder, as programs see them
    disk: dict[str, Content] = {}  # those that the disk knows
    for step in steps:
        match step.what:
            case "open":
                memory.setdefault(step.file, Content())
            case "sync":
                memory[step.file].sync()
            case "delete":
                memory.pop(step.file, None)
            case "sync folder":
                disk = dict(memory)
            case "write" | "truncate":
                memory[step.file].waiting.append(step)
            case "acknowledge":
                pass
    left = {}
    for name in {**memory, **disk}:
        known = {"none": disk, "all": memory, "some": dice.choice((disk, memory))}[survivors].get(name)
        if known is not None:
            left[name] = known.after(known.survivors(survivors, dice))
    return left


def main(work: str, path: str, n: int, cuts: int, seed: int) -> int:
    """Do the work, then leave `cut-N/` beside the database for each power cut, with the facts of it in `cut.json`."""
    disk = Disk()
    acknowledged: list[dict[str, Any]] = []

    def acknowledge(**event: Any) -> None:
        acknowledged.append(event)
        disk.steps.append(Step("acknowledge", number=len(acknowledged)))

    workload.tell = acknowledge
    set_durability(load_settings({}).durability)
    workload.WORKS[work](path, n)
    dice = random.Random(seed)
    last = max(number for number, event in enumerate(acknowledged, 1) if "message" in event)
    end = disk.steps.index(Step("acknowledge", number=last)) + 1  # later, the last connection closes and syncs
    moments = [end, end, end, *(len(disk.steps) * number // cuts for number in range(1, cuts))]
    for number in range(cuts):
        survivors: Survivors = ("none", "all", "some", "some")[number % 4]
        _leave(Path(path).parent / f"cut-{number}", disk.steps[: moments[number]], acknowledged, survivors, dice)
    return 0


def _leave(
    folder: Path, steps: Sequence[Step], acknowledged: list[dict[str, Any]], survivors: Survivors, dice: random.Random
) -> None:
    folder.mkdir()
    for name, content in after_power_cut(steps, survivors, dice).items():
        (folder / name).write_bytes(content)
    counts = [0, *(step.number for step in steps if step.what == "acknowledge")]
    syncs = [number for number, step in enumerate(steps) if step.what == "sync" and step.file.endswith("-wal")]
    before = [0, *(step.number for step in steps[: max(syncs, default=0)] if step.what == "acknowledge")]
    facts = {
        "survivors": survivors,
        "acknowledged": acknowledged[: counts[-1]],
        "synced": before[-1],  # so many were acknowledged before the last sync of the log
        "syncs": len(syncs),
    }
    (folder / "cut.json").write_text(json.dumps(facts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])))
