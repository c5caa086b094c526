"""Import of transcripts of another tool: 2,000 files with about 100,000 messages, imported twice.

The baseline appends as many messages of the same size to as many sessions, with nothing to read or parse.
"""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path

from benches.import_cost import TEXT, bare_appends, run, spent, tell
from benches.process_cost import cost_of
from benches.stores import fresh_path
from benches.table import Options, Table, at_most
from lionstudio.imports.transcripts.sync import Mirror
from lionstudio.imports.transcripts.tools import TOOLS
from lionstudio.state.database import Database
from lionstudio.state.sqlite.maintenance import tune_for_import
from lionstudio.system.li_process import li_argv

_TURNS = 16  # of a conversation: each an answer, a call and its result


def _measure(table: Table, args: Options, folder: Path) -> None:
    files = 200 if args.quick else 2000
    for number in range(files):
        write_transcript(folder / "projects" / f"-p{number % 40}", number)
    with Database(str(fresh_path("mirror"))) as db:
        tune_for_import(db.conn)
        mirror = Mirror(db, TOOLS["claude"], os.path.realpath(folder))
        first, second = spent(mirror.run), spent(mirror.run)
    bare = bare_appends(files, first.messages // files, uuid="x" * 36, parent_uuid="y" * 36)
    tell(table, "", first, second, bare, files, "file", least=8000)
    _first_search(table, folder)


def _first_search(table: Table, folder: Path) -> None:
    """After `li mirror` the first search costs what the next ones do: no index is built then."""
    home = fresh_path("searched").removesuffix("/state.db")
    environ = {**os.environ, "LIONAGI_HOME": home, "CLAUDE_CONFIG_DIR": str(folder)}
    cost_of(li_argv("mirror", "claude"), environ)
    first, *later = (cost_of(li_argv("state", "search", "parser"), environ).cpu for _ in range(4))
    table.row("first search after the import / a later one, CPU", first / min(later), "×", at_most(1.5))


def write_transcript(folder: Path, number: int, text: str = TEXT) -> Path:
    """A conversation as Claude Code writes it down; each message is `text`."""
    folder.mkdir(parents=True, exist_ok=True)
    session = str(uuid.uuid5(uuid.NAMESPACE_OID, str(number)))
    path = folder / f"{session}.jsonl"
    with open(path, "w") as file:
        for line, (kind, message) in enumerate(_conversation(session, text)):
            record = {
                "parentUuid": f"{session}-{line - 1}",
                "isSidechain": False,
                "type": kind,
                "message": message,
                "uuid": f"{session}-{line}",
                "sessionId": session,
                "cwd": "/home/u/p",
                "version": "2.1.197",
                "timestamp": f"2026-01-{number % 28 + 1:02}T{number % 24:02}:{line // 60:02}:{line % 60:02}.000Z",
            }
            file.write(json.dumps(record) + "\n")
    os.utime(path, (1_767_000_000 + number, 1_767_000_000 + number))
    return path


def _conversation(session: str, said: str) -> list[tuple[str, dict[str, object]]]:
    usage = {
        "input_tokens": 10,
        "output_tokens": 90,
        "cache_read_input_tokens": 9000,
        "cache_creation_input_tokens": 40,
    }
    records: list[tuple[str, dict[str, object]]] = [("user", {"role": "user", "content": said})]
    for turn in range(_TURNS):
        about = {"id": f"{session}{turn}", "role": "assistant", "model": "claude-sonnet-4-5-20250929", "usage": usage}
        call = {"type": "tool_use", "id": f"t{turn}", "name": "Bash", "input": {"command": "ls -la"}}
        records.append(("assistant", {**about, "content": [{"type": "text", "text": said}]}))
        records.append(("assistant", {**about, "content": [call]}))
        result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": said, "is_error": False}
        records.append(("user", {"role": "user", "content": [result]}))
    return records


if __name__ == "__main__":
    run("Mirror", __doc__, _measure)
