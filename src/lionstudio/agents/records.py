"""Records that another program wrote: a field of an unexpected type reads as empty, unknown records are kept as is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lionstudio.model.coerce import dict_of
from lionstudio.model.json_codec import jsonable, load
from lionstudio.model.messages import Message


def parse_line(line: bytes) -> Any:
    """The JSON value of a line; a line that is not JSON stays text, bytes that are not UTF-8 are escaped."""
    text = line.decode("utf-8", "backslashreplace")
    try:
        return load(text)
    except ValueError:
        return text


def raw_message(value: Any, **metadata: Any) -> Message:
    """A message of the base class that holds a value as it was printed."""
    return Message(content={"raw": jsonable(value)}, metadata=metadata)


def text_or_empty(value: object) -> str:
    return value if isinstance(value, str) else ""


# of the tools of all vendors, the most telling first
_MAIN_ARGUMENTS = ("command", "file_path", "notebook_path", "path", "url", "pattern", "query", "skill", "prompt")
_MOST_TITLE = 1_000  # characters; a question keeps fewer


def call_title(tool: str, arguments: Mapping[str, Any]) -> str:
    """A call in one line: `Bash: npm test`."""
    main = next((value for name in _MAIN_ARGUMENTS if (value := text_or_empty(arguments.get(name)))), "")
    return f"{tool}: {main or json.dumps(dict(arguments), ensure_ascii=False)}"[:_MOST_TITLE]


def without_empty(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def joined_text(content: Any) -> Any:
    """The lines of a list of text blocks; any other content unchanged."""
    if not isinstance(content, list):
        return content
    texts = [block.get("text") if dict_of(block).get("type") == "text" else None for block in content]
    return "\n".join(map(text_or_empty, texts)) if all(isinstance(text, str) for text in texts) else content
