"""Sessions of a busy user: few projects and agents have most of them, most are completed, names are sentences."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from benches.build import bulk, insert
from lionstudio.state.connection import Connection

NOW = 1_790_000_000.0  # the current time of the databases
SPAN = 180 * 86400.0

_PREFIXES = ("north", "river", "stone", "amber", "quiet")
_THINGS = ("api", "web", "docs", "infra", "mobile", "search", "billing", "mail", "auth", "cli")
PROJECTS = [f"{prefix}-{thing}" for prefix in _PREFIXES for thing in _THINGS]
AGENTS = [f"{role}-{number}" for role in ("coder", "reviewer", "tester", "writer") for number in range(1, 6)]
_ACTIONS = ("fix", "add", "check", "port", "tidy")
_OBJECTS = ("bug", "feature", "types", "tests", "docs", "release")
PLAYBOOKS = [f"{action}-{what}" for action in _ACTIONS for what in _OBJECTS]
_KINDS = ("agent", "play", "flow", "fanout", "show-play")
_KIND_WEIGHTS = (60, 20, 8, 7, 5)
_STATUSES = ("completed", "failed", "aborted", "timed_out", "cancelled")
_STATUS_WEIGHTS = (82, 12, 3, 2, 1)
_SOURCES = ("live", "imported_claude", "imported_codex", "imported_fs")
_SOURCE_WEIGHTS = (70, 20, 8, 2)
_MODELS = ("sonnet-4", "opus-4", "haiku-4", "gpt-5", "local-coder")
_VERBS = ("fix", "add", "explain", "rewrite", "review", "rename", "measure", "remove")
_NOUNS = ("login", "cache", "parser", "index", "queue", "page", "upload", "schema", "socket", "report", "timer")
COMMON_TEXT, RARE_TEXT, NO_TEXT = "fix the", "xylograph", "no such words"
RUNNING = 200  # running sessions, whatever the total

_SESSION_COLUMNS = (
    "id, created_at, name, user, updated_at, playbook_name, agent_name, invocation_kind, show_topic, show_play_name, "
    "source_kind, status, started_at, ended_at, last_message_at, message_count, model, provider, project, cwd, "
    "git_commit, exit_code, input_tokens, output_tokens, cost_microusd"
)


def zipf(count: int) -> list[float]:
    """Weights: the second is half as frequent as the first, the third a third, and so on."""
    return [1 / rank for rank in range(1, count + 1)]


def fill(conn: Connection, count: int) -> None:
    """Sessions with one branch each, and some plays and teams."""
    dice = random.Random(count)
    with bulk(conn):
        insert(conn, "sessions", _SESSION_COLUMNS, _sessions(count, dice))
        with conn.transaction():
            conn.execute(_BRANCHES)
        insert(conn, "shows", "id, topic, show_dir, created_at, updated_at", _shows())
        _plays(conn, dice)
        insert(conn, "teams", "id, name, created_at, updated_at, status", _teams(dice))


_BRANCHES = (
    "INSERT INTO branches (id, created_at, name, session_id) SELECT id || '-b', created_at, 'main', id FROM sessions"
)


def session_id(number: int, at: float) -> str:
    """A UUIDv7 of that moment."""
    stamp = f"{int(at * 1000):012x}"
    return f"{stamp[:8]}-{stamp[8:]}-7{number & 0xFFF:03x}-8000-{number:012x}"


def _sessions(count: int, dice: random.Random) -> Iterator[tuple[Any, ...]]:
    drawn = _Draws(dice, count)
    rare = set(dice.sample(range(count), min(count, 3)))
    for number in range(count):
        at = NOW - SPAN * (1 - (number + 0.5) / count)
        running = number >= count - RUNNING // 2 or (number * RUNNING // 2) % count < RUNNING // 2
        yield _session(number, at, running and count > RUNNING, number in rare, drawn)


class _Draws:
    """Columns drawn by weight, many at once: one by one would take minutes."""

    def __init__(self, dice: random.Random, count: int) -> None:
        def draw(values: Sequence[str], weights: Sequence[float]) -> list[str]:
            return dice.choices(values, weights, k=count)

        self.project = draw(PROJECTS, zipf(len(PROJECTS)))
        self.agent = draw(AGENTS, zipf(len(AGENTS)))
        self.playbook = draw(PLAYBOOKS, zipf(len(PLAYBOOKS)))
        self.kind = draw(_KINDS, _KIND_WEIGHTS)
        self.status = draw(_STATUSES, _STATUS_WEIGHTS)
        self.source = draw(_SOURCES, _SOURCE_WEIGHTS)
        self.model = draw(_MODELS, zipf(len(_MODELS)))
        self.verb = draw(_VERBS, zipf(len(_VERBS)))
        self.noun = draw(_NOUNS, zipf(len(_NOUNS)))


def _session(number: int, at: float, running: bool, rare: bool, drawn: _Draws) -> tuple[Any, ...]:
    kind, status = drawn.kind[number], "running" if running else drawn.status[number]
    played = kind in ("play", "flow", "show-play")
    lasted = 20.0 + number % 977
    name = f"{drawn.verb[number]} the {drawn.noun[number]} {'of the xylograph' if rare else number}"
    ended = None if running else at + lasted
    return (
        session_id(number, at),
        at,
        name,
        "user",
        at + lasted,
        drawn.playbook[number] if played else None,
        drawn.agent[number],
        kind,
        f"show-{number % 400}" if kind == "show-play" else None,
        f"play-{number % 7}" if kind == "show-play" else None,
        drawn.source[number],
        status,
        at,
        ended,
        at + lasted,
        10 + number % 300,
        drawn.model[number],
        "provider",
        drawn.project[number],
        f"/home/user/code/{drawn.project[number]}",
        f"{number * 2654435761 % 2**40:040x}",
        None if running else 0 if status == "completed" else 1,
        1000 + number % 90_000,
        300 + number % 9_000,
        number % 700_000,
    )


def _shows() -> Iterator[tuple[Any, ...]]:
    for number in range(400):
        yield f"show-{number}", f"show-{number}", f"/shows/{number}", NOW - number, NOW - number


_PLAYED = "SELECT id FROM sessions WHERE invocation_kind = 'show-play' ORDER BY pk DESC LIMIT 20000"
_PLAY_STATUSES = ("merged", "gate_failed", "escalated", "blocked", "gated")


def _plays(conn: Connection, dice: random.Random) -> None:
    ids = [row[0] for row in conn.all(_PLAYED)]
    statuses = dice.choices(_PLAY_STATUSES, (92, 4, 2, 1, 1), k=len(ids))
    rows = (
        (f"play-{number}", f"show-{number % 400}", f"play-{number}", status, id_, NOW, NOW)
        for number, (id_, status) in enumerate(zip(ids, statuses, strict=True))
    )
    insert(conn, "plays", "id, show_id, name, status, session_id, created_at, updated_at", rows)


def _teams(dice: random.Random) -> Iterator[tuple[Any, ...]]:
    for number in range(300):
        yield f"team-{number}", f"team {number}", NOW, NOW, dice.choice(("active", "archived"))
