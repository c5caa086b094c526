"""The terminal command that continues a run, or the reason why there is none. Pure: a row goes in, text comes out."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lionstudio.model.json_codec import load_or_keep
from lionstudio.model.providers import find_provider
from lionstudio.model.status.statuses import InvocationKind, SessionStatus, SourceKind
from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS
from lionstudio.settings import Settings

_PROGRAM_PROVIDERS = ("acp", "command")  # they run a program that the definition or the command line names
_VENDOR_RESUMES = {"claude": "claude --resume", "codex": "codex resume"}
_RESUMABLE_SOURCES = frozenset({SourceKind.LIVE, *(f"imported_{tool}" for tool in TRANSCRIPT_TOOLS)})


class ResumeCommand(NamedTuple):
    """A command that works as printed, or None and the reason."""

    command: str | None
    reason: str | None = None  # also for a command that only a terminal can start
    target: str | None = None  # the agent or provider that Studio can start


def resume_command(
    session: Mapping[str, Any],
    *,
    options: str = "",
    folder: str | None = None,
    verb: str = "resume",
    prompt: str | None = None,
    exists: Callable[[str], bool] = os.path.exists,
) -> ResumeCommand:
    """The command that continues (or, with the verb `fork`, forks) a session.

    `options` are those of `location_options`; `folder` is the caller's own, so that --cwd is left out where it is
    not needed. Without a `prompt` (quoted for a shell) the command reads it from the terminal.
    """
    if verb == "resume" and session["status"] == SessionStatus.RUNNING:
        return ResumeCommand(None, "The run has not ended")
    if (reason := _obstacle(session, options, exists)) is not None:
        return ResumeCommand(None, reason)
    target, program = _target(session), _program(session)
    if target is None and program is None:
        return ResumeCommand(None, "The program it ran is not stored; repeat its command with --resume")
    cwd = session.get("cwd")
    agent = str(session["provider"]) if program else str(target)
    parts = ["li agent", shlex.quote(agent), f"--{verb}", shlex.quote(str(session["id"]))]
    if cwd and cwd != folder:
        parts += ["--cwd", shlex.quote(str(cwd))]
    parts += [*([options] if options else []), *([prompt] if prompt else [])]
    if program:
        reason = "It runs a program of your command line: continue it in a terminal"
        return ResumeCommand(" ".join([*parts, "--", shlex.join(program)]), reason)
    return ResumeCommand(" ".join(parts), target=target)


def vendor_command(session: Mapping[str, Any], *, exists: Callable[[str], bool] = os.path.exists) -> str | None:
    """The command of the vendor's own program that opens the conversation of an ended session in a terminal."""
    words, conversation = _VENDOR_RESUMES.get(str(session.get("provider"))), session.get("conversation_id")
    is_over = session["status"] != SessionStatus.RUNNING
    is_id = bool(conversation) and not str(conversation).startswith("-")  # which would be an option
    if words is None or not is_id or not is_over or _obstacle(session, "", exists) is not None:
        return None
    command = f"{words} {shlex.quote(str(conversation))}"
    return f"cd {shlex.quote(str(session['cwd']))} && {command}" if session.get("cwd") else command


def location_options(settings: Settings, *, other_terminal: bool = False) -> str:
    """`--home DIR` or `--db FILE` where this process was given them; another terminal lacks our variables too."""
    origins = ("flag", "environment") if other_terminal else ("flag",)
    names = [name for name in ("home", "db") if settings.origins[name] in origins]
    if "home" in names and settings.db == os.path.join(settings.home, "state.db"):
        names = ["home"]
    return " ".join(f"--{name} {shlex.quote(str(getattr(settings, name)))}" for name in names)


def _obstacle(session: Mapping[str, Any], options: str, exists: Callable[[str], bool]) -> str | None:
    kind, cwd = session.get("invocation_kind"), session.get("cwd")
    if kind == InvocationKind.SHOW_PLAY:
        topic, play = session.get("show_topic"), session.get("show_play_name")
        if not (topic and play):
            return "It is a play of a show"
        command = " ".join(["li show redo", shlex.quote(topic), shlex.quote(play), *([options] if options else [])])
        return f"It is a play of a show; repeat it with `{command}`"
    if kind in (InvocationKind.PLAY, InvocationKind.FLOW, InvocationKind.FANOUT):
        return f"A {kind} has several agents, and a conversation has one; start it again"
    if (session.get("source_kind") or SourceKind.LIVE) not in _RESUMABLE_SOURCES:
        return "It was imported, and its conversation may be on another machine"
    if find_provider(str(session.get("provider") or "")) is None:
        return "It was recorded by another program, which cannot be resumed with `li agent`"
    if cwd and not exists(str(cwd)):
        return f"Its folder does not exist on this machine: {cwd}"
    path = _transcript(session)
    if path is not None and not exists(path):
        return f"Its transcript does not exist on this machine: {path}"
    return None


def _target(session: Mapping[str, Any]) -> str | None:
    """The agent's definition where one is known to have been used, else the provider; None for an unknown program."""
    provider = find_provider(str(session["provider"]))
    assert provider is not None
    agent, model = session.get("agent_name"), session.get("model")
    is_definition = bool(agent) and find_provider(str(agent)) is None
    if provider.name in _PROGRAM_PROVIDERS:
        return str(agent) if is_definition else None
    # `record()` may name any agent; only a run of `li agent` has a conversation of the provider
    if is_definition and session.get("conversation_id"):
        return str(agent)
    return f"{provider.name}/{model}" if provider.usage and model else provider.name


def _program(session: Mapping[str, Any]) -> list[str] | None:
    """The program of an ACP agent that was named on the command line, whose own name the run has then."""
    metadata = session.get("metadata") or load_or_keep(session.get("node_metadata"))
    command = metadata.get("command") if isinstance(metadata, Mapping) else None
    is_named = isinstance(metadata, Mapping) and metadata.get("program") == session.get("agent_name")
    return [str(word) for word in command] if is_named and isinstance(command, list) and command else None


def _transcript(session: Mapping[str, Any]) -> str | None:
    metadata = session.get("metadata") or load_or_keep(session.get("node_metadata"))
    mirror = metadata.get("mirror") if isinstance(metadata, Mapping) else None
    path = mirror.get("path") if isinstance(mirror, Mapping) else None
    return path if isinstance(path, str) else None
