"""The tools whose transcripts are mirrored: where they keep them, and what a file's name says about it."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from lionstudio.agents.claude import transcript as claude
from lionstudio.agents.codex import transcript as codex
from lionstudio.agents.transcript import TranscriptFacts, TranscriptReader, made_id
from lionstudio.imports.transcripts.zstd import SUFFIX, plain_name
from lionstudio.model.coerce import dict_of
from lionstudio.system.filenames import shown
from lionstudio.system.safe_read import read_bytes

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_SMALL = 1_000_000  # bytes of a file that describes a sub-agent
_KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
_DEEPEST = 12  # folders; deeper ones are a loop or a mistake

MakeReader = Callable[..., TranscriptReader]


class Tool(NamedTuple):
    """One tool: how it is called, where it keeps its files, who reads them."""

    name: str
    title: str
    agent: str  # the name its sessions run under
    provider: str
    variable: str  # that moves its folder
    folder: str
    trees: tuple[str, ...]
    space: UUID
    reader: MakeReader

    def root(self, environ: Mapping[str, str] | None = None) -> str:
        """The folder of the tool for this user."""
        given = (os.environ if environ is None else environ).get(self.variable)
        return os.path.realpath(os.path.expanduser(given or self.folder))

    def session_id(self, session: str) -> str:
        """Our id of one of its conversations."""
        return made_id(self.space, session, "session")

    def branch_id(self, session: str, lane: str) -> str:
        """Our id of a lane of it."""
        if self.name == "codex":  # a thread is found by its own id alone
            return made_id(self.space, lane or session, "branch")
        return made_id(self.space, session, "branch", lane)


CLAUDE = Tool(
    "claude",
    "Claude Code",
    "claude-code",
    "anthropic",
    "CLAUDE_CONFIG_DIR",
    "~/.claude",
    ("projects",),
    claude.SPACE,
    claude.ClaudeTranscriptReader,
)
CODEX = Tool(
    "codex",
    "Codex",
    "codex",
    "openai",
    "CODEX_HOME",
    "~/.codex",
    ("sessions", "archived_sessions"),
    codex.SPACE,
    codex.CodexTranscriptReader,
)
TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in (CLAUDE, CODEX)}


class Candidate(NamedTuple):
    """A transcript that was found, with what the system says about it."""

    path: str
    inode: int
    size: int
    mtime_ns: int

    @property
    def key(self) -> str:
        """What it is known by: compressed or not, it is the same transcript."""
        return plain_name(self.path)

    @property
    def is_agent(self) -> bool:
        """Whether it is a sub-agent's of Claude Code."""
        return os.path.basename(self.path).startswith("agent-")


@dataclass(slots=True)
class Discovered:
    """The transcripts under a root, and what was found there but cannot be read."""

    files: list[Candidate] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)


def discover(tool: Tool, root: str) -> Discovered:
    """Every transcript of a tool, in the order in which they should be read."""
    found = Discovered()
    for tree in tool.trees:
        _walk(tool, os.path.join(root, tree), found, 0)
    # a parent before its forks and sub-agents: rollouts are named by their birth, the rest goes by its last change
    if tool.name == "codex":
        found.files.sort(key=lambda file: os.path.basename(file.path))
    else:
        found.files.sort(key=lambda file: (file.is_agent, file.mtime_ns, file.path))
    return found


def look(tool: Tool, path: str) -> Candidate | str | None:
    """One path: a transcript, the reason why it is none, or None when it is not meant to be one."""
    if not _is_transcript(tool, os.path.basename(path)):
        return None
    if not _has_text_name(path):
        return "has a name that is not UTF-8"
    if path != plain_name(path) and os.path.lexists(plain_name(path)):
        return None  # both are there for a moment; the plain one is written to
    try:
        seen = os.lstat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if stat.S_ISLNK(seen.st_mode):
        return "is a symbolic link"
    if not stat.S_ISREG(seen.st_mode):
        return f"is {_KINDS.get(stat.S_IFMT(seen.st_mode), 'something else')}, not a file"
    return Candidate(path, seen.st_ino, seen.st_size, seen.st_mtime_ns)


def _has_text_name(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_transcript(tool: Tool, name: str) -> bool:
    if tool.name == "codex":
        return name.startswith("rollout-") and plain_name(name).endswith(".jsonl")
    return name.endswith(".jsonl")


def _walk(tool: Tool, folder: str, found: Discovered, depth: int) -> None:
    try:
        with os.scandir(folder) as entries:
            inside = sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    except OSError as error:
        found.refused[shown(folder)] = f"cannot be read: {error.strerror}"
        return
    found.folders.append(folder)
    for entry in inside:
        if _is_folder(entry):
            if depth < _DEEPEST:
                _walk(tool, entry.path, found, depth + 1)
            else:
                found.refused[shown(entry.path)] = "lies too deep"
            continue
        seen = look(tool, entry.path)
        if isinstance(seen, Candidate):
            found.files.append(seen)
        elif seen is not None:
            found.refused[shown(entry.path)] = seen


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def facts_of(tool: Tool, path: str) -> TranscriptFacts:
    """What a file's name and place say about it."""
    stem = os.path.splitext(os.path.basename(plain_name(path)))[0]
    if tool.name == "codex":
        known = _UUID.findall(stem)
        return TranscriptFacts(session=known[-1] if known else stem, thread=known[-1] if known else stem)
    if not stem.startswith("agent-"):
        return TranscriptFacts(session=stem if _UUID.fullmatch(stem) else "")
    parts = path.split(os.sep)
    session = parts[parts.index("subagents") - 1] if "subagents" in parts else ""
    return TranscriptFacts(session=session, thread=stem.removeprefix("agent-"))


_NOTE = ".meta.json"


def described(path: str) -> str:
    """The transcript that a change of a path is about: that of a note beside it, or the compressed one in its place."""
    if path.endswith(_NOTE):
        return path.removesuffix(_NOTE) + ".jsonl"
    compressed = plain_name(path) + SUFFIX
    return compressed if os.path.lexists(compressed) and not os.path.lexists(plain_name(path)) else path


def describe_agent(path: str) -> dict[str, Any]:
    """What Claude Code notes beside a sub-agent's transcript; nothing when it notes nothing readable."""
    try:
        return dict_of(json.loads(read_bytes(os.path.splitext(path)[0] + _NOTE, most=_SMALL)))
    except Exception as error:  # a missing or damaged note must not keep the transcript out
        if isinstance(error, MemoryError):
            raise
        return {}


def within(root: str, paths: Mapping[str, Any]) -> Iterator[str]:
    """The paths that lie under a root."""
    start = root.rstrip(os.sep) + os.sep
    return (path for path in paths if path.startswith(start))
