"""The line editor: keys, pastes, and key sequences that arrive in pieces."""

from __future__ import annotations

import pytest

from lionstudio.cli.talk._keyboard import Keyboard


def typed(*pieces: str) -> tuple[list[str], str, bool]:
    """The complete lines, the line that is left, and whether the input has ended."""
    keyboard = Keyboard()
    lines, ended = [], False
    for piece in pieces:
        more, ended = keyboard._type(piece)
        lines += [line.text for line in more]
    return lines, keyboard.line, ended


@pytest.mark.parametrize(
    ("pieces", "lines", "left"),
    [
        (("hello\r",), ["hello"], ""),
        (("one\rtwo\nthr",), ["one", "two"], "thr"),
        (("helo\x7flo\r",), ["hello"], ""),
        (("wrong\x15right\r",), ["right"], ""),
        (("two words\x17", "three\r"), ["two three"], ""),
        (("ab\x1b[D\x1b[1;5C\x1bOPc\r",), ["abc"], ""),
        (("ab\x1b", "[", "Dc\r"), ["abc"], ""),
        (("\x1b[200~one\r\ntwo\rthree\n\x1b[201~", "\r"), ["one\ntwo\nthree"], ""),
        (("\x1b[200~one\nt", "wo\x1b[20", "1~\r"), ["one\ntwo"], ""),
        (("bell\x07 and \x00nul\r",), ["bell and nul"], ""),
        (("grüße 🦁\r",), ["grüße 🦁"], ""),
    ],
)
def test_keyboard_edits_lines(pieces: tuple[str, ...], lines: list[str], left: str) -> None:
    assert typed(*pieces) == (lines, left, False)


def test_keyboard_ends_with_ctrl_d_on_an_empty_line_only() -> None:
    assert typed("\x04") == ([], "", True)
    assert typed("text\x04") == ([], "text", False)


def test_keyboard_shows_the_end_of_a_long_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    keyboard = Keyboard()
    keyboard._type("0123456789" * 10 + "\u202e界界")

    assert keyboard.shown().startswith("> ")
    assert keyboard.shown().endswith("9界界")  # a control character of text is not typed
    assert len(keyboard.shown()) < 40
