"""A session as one HTML file to share: no script, nothing is loaded, light and dark, every message has an anchor.

All stored text is escaped; characters that would hide or reverse text are written out.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import escape

from lionstudio.model.file_changes.change import FileChange, hunk_header
from lionstudio.model.run_name import run_name
from lionstudio.state.branches import branch_entries, list_branches
from lionstudio.state.connection import Connection
from lionstudio.state.messages.export_facts import facts, fork_origin, moment
from lionstudio.state.messages.export_parts import Block, Code, Note, Part, Text, Thinking, parts
from lionstudio.state.sessions import get_session
from lionstudio.version import VERSION

_OPEN_LINES = 24  # of code; more is folded
_MOST = 400_000  # characters of one block
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
_FENCED = re.compile(r"^(```+|~~~+)[^\n`]*\n(.*?)(?:^\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_KINDS = {"+": "add", "-": "del", "@": "hunk", "\\": "note"}
_STYLE = """
:root { color-scheme: light dark; --bg: #fbfbfc; --surface: #fff; --text: #1b1b20; --dim: #5f5f6b; --line: #e4e4e9;
  --user: #ecebfb; --accent: #5047d1; --add: #17713c; --add-bg: #e6f5eb; --del: #b42318; --del-bg: #fdeceb;
  --code: #f4f4f6; --info: #1558c0 }
@media (prefers-color-scheme: dark) { :root { --bg: #111114; --surface: #18181c; --text: #ececf1; --dim: #a5a5b2;
  --line: #2a2a31; --user: #2a2850; --accent: #a9a3ff; --add: #6fd694; --add-bg: #12301d; --del: #ff9a90;
  --del-bg: #431a17; --code: #0d0d10; --info: #86b6ff } }
* { box-sizing: border-box }
body { margin: 0; background: var(--bg); color: var(--text); font: 14px/1.55 system-ui, sans-serif }
header, main, footer { max-width: 980px; margin: 0 auto; padding: 16px }
h1 { margin: 8px 0; font-size: 22px; overflow-wrap: anywhere } h2 { margin: 28px 0 8px; font-size: 17px }
h3 { margin: 0; font-size: 13px; font-weight: 600; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: 110px minmax(0, 1fr); gap: 2px 12px; margin: 0; font-size: 13px }
dt, time, .note, .sums, footer { color: var(--dim) } dd { margin: 0; overflow-wrap: anywhere }
article { margin: 10px 0; padding: 10px 14px; border: 1px solid var(--line); border-radius: 8px;
  background: var(--surface) }
article.user { background: var(--user) } article:target { outline: 2px solid var(--accent) }
.head { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: baseline; font-size: 12px }
.head a, a { color: var(--accent) } .user .head time { color: var(--text) }
.text { margin: 6px 0 0; white-space: pre-wrap; overflow-wrap: anywhere }
pre { margin: 6px 0 0; padding: 8px 10px; max-height: 560px; overflow: auto; border: 1px solid var(--line);
  border-radius: 6px; background: var(--code); font: 12px/1.5 ui-monospace, Menlo, Consolas, monospace; tab-size: 4 }
pre.error { border-color: var(--del) } pre.diff { padding: 0 } pre.diff span { display: block; min-width: max-content;
  padding: 0 10px } .add { background: var(--add-bg) } .del { background: var(--del-bg) } .hunk { color: var(--info) }
.sums b { color: var(--add); font-weight: 500 } .sums i, .failed { color: var(--del); font-style: normal }
.path { margin-top: 6px; font: 12px/1.5 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere }
details { margin-top: 6px } summary { cursor: pointer; color: var(--dim); font-size: 13px }
@media print { pre { max-height: none } }
"""


def html(conn: Connection, session_id: str) -> Iterator[str]:
    """The document in pieces."""
    session = get_session(conn, session_id)
    name = _safe(run_name(session.to_dict()))
    digest = b64encode(sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    yield (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="referrer" content="no-referrer">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{name}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{name}</h1>\n<dl>\n"
    )
    for title, value in facts(conn, session):
        yield f"<dt>{_safe(title)}</dt><dd>{_safe(value)}</dd>\n"
    yield "</dl>\n</header>\n<main>\n"
    branches = list_branches(conn, session_id)
    for number, branch in enumerate(branches):
        prefix = "m" if len(branches) == 1 else f"b{number + 1}-m"
        yield f"<h2>{_safe(branch.name or branch.id) if len(branches) > 1 else 'Messages'}</h2>\n"
        if (origin := fork_origin(conn, branch, branches)) is not None:
            yield f'<p class="note">{_safe(origin)}</p>\n'
        for part in parts(branch_entries(conn, branch.id), session.cwd):
            yield from _article(part, f"{prefix}{part.ord}")
    yield f"</main>\n<footer>Exported by Lion Studio {_safe(VERSION)}</footer>\n</body>\n</html>\n"


def _article(part: Part, anchor: str) -> Iterator[str]:
    at = moment(part.at)
    yield (
        f'<article id="{anchor}" class="{"user" if part.speaker == "user" else "message"}">\n<div class="head">'
        f'<h3>{_safe(part.title or part.speaker.capitalize())}</h3> <a href="#{anchor}">#{part.ord}</a>'
        f"{' <b class=failed>failed</b>' if part.is_failed else ''}"
        f"{_sums(part.added, part.removed)}{f' <time>{at}</time>' if at else ''}</div>\n"
    )
    for block in part.blocks:
        yield from _block(block)
    yield "</article>\n"


def _sums(added: int | None, removed: int | None) -> str:
    if added is None and removed is None:
        return ""
    numbers = (f"<b>+{'?' if added is None else added}</b>", f"<i>−{'?' if removed is None else removed}</i>")
    return f' <span class="sums">{" ".join(numbers)}</span>'


def _block(block: Block) -> Iterator[str]:
    match block:
        case Text(text):
            yield from _words(text)
        case Thinking(text):
            yield "<details><summary>Thoughts</summary>\n"
            yield from _words(text)
            yield "</details>\n"
        case Code(text, label, is_error):
            yield from _code(text, label, is_error)
        case Note(text):
            yield f'<div class="note">{_safe(text)}</div>\n'
        case FileChange():
            yield from _diff(block)


def _words(text: str) -> Iterator[str]:
    """Words as they are, with the code blocks of Markdown as code."""
    end = 0
    for match in _FENCED.finditer(text[:_MOST]):
        yield from _paragraph(text[end : match.start()])
        yield from _code(match[2].rstrip("\n"), "", False)
        end = match.end()
    yield from _paragraph(text[end:])


def _paragraph(text: str) -> Iterator[str]:
    if text.strip():
        yield f'<div class="text">{_safe(_cut(text.strip(chr(10))))}</div>\n'


def _code(text: str, label: str, is_error: bool) -> Iterator[str]:
    lines = text.count("\n") + 1
    if lines > _OPEN_LINES:
        yield f"<details><summary>{_safe(label.capitalize() or 'Output')}, {lines:,} lines</summary>\n"
    yield f'<pre tabindex="0"{" class=error" if is_error else ""}>{_safe(_cut(text))}</pre>\n'
    if lines > _OPEN_LINES:
        yield "</details>\n"


def _diff(change: FileChange) -> Iterator[str]:
    name = change.path if change.old_path is None else f"{change.old_path} → {change.path}"
    yield f'<div class="path">{_safe(name)} <span class="note">{change.kind}</span>'
    yield f"{_sums(change.added, change.removed)}</div>\n"
    if not change.hunks:
        yield '<div class="note">The changed lines are not recorded.</div>\n' if change.added is None else ""
        return
    lines = sum(len(hunk.lines) for hunk in change.hunks)
    if lines > 4 * _OPEN_LINES:
        yield f"<details><summary>Diff, {lines:,} lines</summary>\n"
    yield '<pre class="diff" tabindex="0">'
    for hunk in change.hunks:
        for line in (hunk_header(hunk), *hunk.lines):
            kind = _KINDS.get(line[:1], "")
            yield f"<span{f' class={kind}' if kind else ''}>{_safe(_cut(line))}\n</span>"
    yield "</pre>\n"
    if lines > 4 * _OPEN_LINES:
        yield "</details>\n"


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[:_MOST]}\n… {len(text) - _MOST:,} more characters"


def _safe(text: object) -> str:
    return escape(_HIDDEN.sub(lambda match: f"[U+{ord(match[0]):04X}]", str(text).replace("\r\n", "\n")), quote=True)
