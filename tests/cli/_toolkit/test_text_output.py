"""Text output: escaping, cutting, folding, tables, times and numbers."""

from __future__ import annotations

import argparse
import io
import json
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lionstudio.cli._session.transcript import fold
from lionstudio.cli._toolkit import humanize, table, terminal
from lionstudio.cli._toolkit.args import integer, point_in_time
from lionstudio.cli._toolkit.escape import body, in_json, inline
from lionstudio.cli._toolkit.json_output import to_json
from lionstudio.cli._toolkit.output import emit_lines
from lionstudio.cli._toolkit.progress import ProgressBar
from lionstudio.cli._toolkit.table import cut, width
from lionstudio.cli.run._execute import read_prompt

ANYTHING = st.text(st.characters(exclude_categories=())) | st.text(
    "ab\x1b\x00\n\t\r\u202e\u200b\u200d\ud800é日👩💻\u0301"
)


def is_dangerous(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or 0x202A <= ord(char) <= 0x202E or char == "\u200b"


@given(ANYTHING)
def test_escape_leaves_nothing_dangerous(text: str) -> None:
    assert not any(is_dangerous(char) and char not in "\n\t" for char in body(text))
    assert not any(map(is_dangerous, inline(text)))


@given(ANYTHING)
def test_in_json_is_safe_and_lossless(text: str) -> None:
    found = to_json({"text": text})

    assert not any(map(is_dangerous, found))
    # two surrogates side by side spell one character, in JSON as everywhere
    assert json.loads(found)["text"] == json.loads(json.dumps(text))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb", "a\\u202eb"),
        ("\U000e0041", "\\U000e0041"),
        ("a\u200db", "a\\u200db"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
        ("Grüße 日本", "Grüße 日本"),
        ("\ud800", "\\ud800"),
    ],
)
def test_escape_examples(text: str, shown: str) -> None:
    assert body(text) == inline(text) == shown


def test_body_keeps_lines_and_tabs_and_inline_escapes_them() -> None:
    assert body("a\r\nb\tc\rd") == "a\nb\tc\\rd"
    assert inline("a\r\nb\tc") == "a\\r\\nb\\tc"


def test_in_json_keeps_lines_between_values() -> None:
    assert in_json('{\n  "a": "é\x9b"\n}') == '{\n  "a": "é\\u009b"\n}'


@pytest.mark.parametrize("value", [float("inf"), float("nan"), b"\xff", {1: 2}, {"a": [float("-inf")]}])
def test_to_json_converts_invalid_values(value: object) -> None:
    assert json.loads(to_json({"value": value}))


@given(ANYTHING.map(inline), st.integers(1, 30))
def test_cut_fits_the_width(text: str, columns: int) -> None:
    assert width(cut(text, columns)) <= columns
    assert cut(text, columns) == text or cut(text, columns).endswith("…")


def test_width_of_wide_and_combining_characters() -> None:
    assert (width("abc"), width("日本"), width("e\u0301"), width("👩\u200d💻")) == (3, 4, 1, 4)
    assert cut("日本語", 5) == "日本…"


@given(ANYTHING, st.integers(1, 5), st.integers(1, 20))
def test_fold_keeps_the_start_and_counts_the_rest(text: str, lines: int, chars: int) -> None:
    kept, note = fold(text, lines, chars)
    whole = text.rstrip("\n")

    assert whole.startswith(kept)
    assert len(kept) <= chars
    assert kept.count("\n") < lines
    assert bool(note) == (kept != whole)


def test_fold_note_counts_the_rest() -> None:
    assert fold("1\n2\n3\n4\n", 2) == ("1\n2", "… 2 more lines (--full)")
    assert fold("1\n2\n3", 2) == ("1\n2", "… 1 more line (--full)")
    assert fold("12345", 2, 3) == ("123", "… 2 more characters (--full)")
    assert fold("", 2) == ("", "")


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (1_234_567, "1.2 MB"),
        (123_456_789, "123 MB"),
        (5e12, "5.0 TB"),
        (5e9, "5.0 GB"),
    ],
)
def test_size_examples(count: float, shown: str) -> None:
    assert humanize.size(count) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.4, "0s"), (59, "59s"), (60, "1m00s"), (3700, "1h01m"), (90000, "1d1h"), (-5, "0s")]
)
def test_span_examples(seconds: float, shown: str) -> None:
    assert humanize.span(seconds) == shown


@pytest.mark.parametrize(
    ("past", "shown"),
    [
        (0, "just now"),
        (-10, "just now"),
        (-100, "in the future"),
        (120, "2m ago"),
        (7300, "2h ago"),
        (200000, "2d ago"),
        (8e5, "1w ago"),
        (6e6, "2mo ago"),
        (7e7, "2y ago"),
    ],
)
def test_ago_examples(past: float, shown: str) -> None:
    assert humanize.ago(1e9 - past, 1e9) == shown


@pytest.mark.parametrize("nonsense", [None, "soon", b"x", float("inf"), float("nan"), 1e300, True])
def test_time_formats_accept_invalid_values(nonsense: object) -> None:
    assert humanize.iso(nonsense) is None
    assert humanize.local(nonsense) == "?"
    assert humanize.ago(nonsense, 1.0) == "?"


def test_iso_examples() -> None:
    assert humanize.iso(1_790_000_000.25) == "2026-09-21T14:13:20.250Z"
    assert humanize.iso(-0.5) == "1969-12-31T23:59:59.500Z"


def test_cost_and_tokens_examples() -> None:
    assert [humanize.cost(value) for value in (None, 0, 12_345, 1_234_567_890)] == [
        "",
        "$0.0000",
        "$0.0123",
        "$1,234.57",
    ]
    assert [humanize.tokens(value) for value in (999, 12_345, 4_500_000)] == ["999", "12.3k", "4.5M"]


@pytest.mark.parametrize("text", ["", "h", "2", "-2h", "2.5h", "2 h", "²h", "9999999999d", "2026", "99999-01-01"])
def test_point_in_time_rejects_invalid_text(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="2h, 14d"):
        point_in_time(text)


@pytest.mark.parametrize("text", ["", "-1", "1.0", "x", "²", "1" * 40, "11"])
def test_integer_rejects_invalid_text(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="from 0 to 10"):
        integer(0, 10)(text)


def plain(text: str, _: str) -> str:
    return text


def rendered(room: int, *texts: str) -> list[str]:
    columns = (table.Column("ID"), table.Column("NAME", narrowest=8), table.Column("EXTRA", rank=1))
    return table.render(columns, [[table.Cell(text) for text in texts]], room, plain)


def test_render_drops_the_least_important_columns() -> None:
    texts = ("1234", "a name of some length", "extra")

    assert rendered(40, *texts)[1] == "1234  a name of some length  extra"
    assert rendered(30, *texts)[1] == "1234  a name of some l…  extra"
    assert rendered(20, *texts) == ["ID    NAME", "1234  a name of som…"]
    assert all(len(line) <= 14 for line in rendered(14, *texts))


def test_render_omits_empty_columns() -> None:
    assert rendered(80, "1", "name", "") == ["ID  NAME", "1   name"]


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_shows_count_rate_and_remaining_time(monkeypatch: pytest.MonkeyPatch) -> None:
    output = Tty()
    monkeypatch.setattr("sys.stderr", output)
    monkeypatch.setenv("TERM", "xterm")
    clock = iter([0.0, 0.0, 10.0, 10.0, 20.0, 20.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with ProgressBar("Reading", 100) as progress:
        progress.show(50)

    assert "50/100  5/s  10s left" in output.getvalue()
    assert output.getvalue().endswith("\r\x1b[K")


def test_width_of_obeys_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "55")
    assert terminal.width_of(io.StringIO()) == 55
    monkeypatch.setenv("COLUMNS", "nonsense")
    assert terminal.width_of(io.StringIO()) == 100


class Keyboard(io.TextIOWrapper):
    """Standard input, from a terminal or a pipe."""

    def __init__(self, typed: bytes, *, attended: bool) -> None:
        super().__init__(io.BytesIO(typed))
        self._attended = attended

    def isatty(self) -> bool:
        return self._attended


@pytest.mark.parametrize(("attended", "quiet", "said"), [(True, False, 1), (True, True, 0), (False, False, 0)])
def test_read_prompt_asks_on_a_terminal(
    attended: bool, quiet: bool, said: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", Keyboard(b"do it\n", attended=attended))

    assert read_prompt(None, quiet=quiet) == "do it\n"
    assert capsys.readouterr().err == "Type the prompt, then press Ctrl-D.\n" * said
    assert read_prompt("given", quiet=quiet) == "given"
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("length", [1, 100_000])
def test_emit_lines_prints_what_came_before_an_error(capsys: pytest.CaptureFixture[str], length: int) -> None:
    def lines() -> Iterator[str]:
        yield "a" * length
        yield "\x1b[5m"
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        emit_lines(lines())

    assert capsys.readouterr().out == "a" * length + "\n\\x1b[5m\n"
