"""Hunks between two texts: applied to the old text they give the new one, whatever the texts are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lionstudio.model.file_changes import line_diff
from lionstudio.model.file_changes.change import NO_NEWLINE, Hunk
from lionstudio.model.file_changes.line_diff import DiffBudget, diff_texts

LINES = st.lists(
    st.sampled_from(["", "a", "b", "c", "d\x0c", "é\u2028x", "-", "+x", "\\ y", "@@ -1 +1 @@"]), max_size=40
)
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"]))


def apply(old: str, hunks: tuple[Hunk, ...]) -> str:
    """The new text, with every context and removed line compared with the old one."""
    before = old.split("\n")
    before = [f"{line}\n" for line in before[:-1]] + ([before[-1]] if before[-1] else [])
    result: list[str] = []
    at = 0
    for hunk in hunks:
        assert hunk.old_start is not None
        assert hunk.new_start is not None
        has_old = any(line[0] in " -" for line in hunk.lines)
        start = hunk.old_start - 1 if has_old else hunk.old_start
        result += before[at:start]
        at = start
        has_new = any(line[0] in " +" for line in hunk.lines)
        assert len(result) == (hunk.new_start - 1 if has_new else hunk.new_start)
        for number, line in enumerate(hunk.lines):
            if line == NO_NEWLINE:
                continue
            text = line[1:] if hunk.lines[number + 1 : number + 2] == (NO_NEWLINE,) else f"{line[1:]}\n"
            if line[0] in " -":
                assert before[at] == text
                at += 1
            if line[0] in " +":
                result.append(text)
    return "".join(result + before[at:])


@given(TEXTS, TEXTS)
def test_diff_texts_leads_from_old_to_new(old: str, new: str) -> None:
    assert apply(old, diff_texts(old, new)) == new


@given(TEXTS, st.lists(st.tuples(st.integers(0, 60), st.sampled_from(["x", "", "a"])), max_size=4))
def test_diff_texts_of_few_edits_is_short(old: str, edits: list[tuple[int, str]]) -> None:
    lines = old.split("\n")
    for at, text in edits:
        lines[min(at, len(lines)) : min(at, len(lines)) + 1] = [text]
    hunks = diff_texts(old, "\n".join(lines))

    assert apply(old, hunks) == "\n".join(lines)
    changed = sum(line[0] in "+-" for hunk in hunks for line in hunk.lines)
    assert changed <= 2 * len(edits) + 2


def test_diff_texts_has_three_lines_of_context_and_real_numbers() -> None:
    old = "".join(f"line {number}\n" for number in range(1, 21))
    (hunk,) = diff_texts(old, old.replace("line 10\n", "ten\n"))

    assert (hunk.old_start, hunk.new_start) == (7, 7)
    assert hunk.lines == (" line 7", " line 8", " line 9", "-line 10", "+ten", " line 11", " line 12", " line 13")


def test_diff_texts_separates_distant_changes() -> None:
    old = "".join(f"{number}\n" for number in range(100))
    hunks = diff_texts(old, old.replace("\n20\n", "\nx\n").replace("\n80\n", "\n").replace("\n81\n", "\n81\n81b\n"))

    assert [(hunk.old_start, hunk.new_start) for hunk in hunks] == [(18, 18), (78, 78)]


def test_diff_texts_without_newline_at_the_end_says_so() -> None:
    assert diff_texts("a\nb", "a\nb\n")[0].lines == (" a", "-b", NO_NEWLINE, "+b")


def test_diff_texts_of_parts_has_no_numbers() -> None:
    (hunk,) = diff_texts("two", "two\nthree", whole=False)
    assert hunk == Hunk((" two", "+three"))


def test_diff_texts_of_hostile_texts_is_bounded() -> None:
    """Texts with almost nothing in common, and texts of one repeated line: the number of comparisons stays linear."""
    many = 60_000
    compared = 0

    class Line(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    old = [*(Line(f"o{number}") for number in range(many)), Line("both")]
    new = [Line("both"), *(Line(f"n{number}") for number in range(many))]
    assert line_diff._shortest(old, new, DiffBudget()) == []
    same = [Line("x") for _ in range(many)]
    other = [Line("c"), *same[: many // 2], Line("d")]
    line_diff._shortest([Line("a"), *same, Line("b")], other, DiffBudget())

    assert compared < 6 * many + 2 * line_diff._BUDGET


def test_diff_texts_beyond_the_budget_replaces_the_middle() -> None:
    old = "same\n" + "".join(f"o{number}\n" for number in range(5000)) + "end\n"
    new = "same\n" + "".join(f"n{number}\n" for number in range(5000)) + "end\n"
    (hunk,) = diff_texts(old, new)

    assert apply(old, (hunk,)) == new
    assert hunk.lines[0] == " same"
    assert hunk.lines[-1] == " end"
