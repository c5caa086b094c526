"""The hunks between two texts, in linear time: what costs more than a budget is shown as replaced as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lionstudio.model.file_changes.change import NO_NEWLINE, Hunk

_CONTEXT = 3
_BUDGET = 300_000  # steps of a comparison, about 0.1 s


class DiffBudget:
    """The steps that many comparisons share: an agent decides how many edits and calls there are, and how they look."""

    def __init__(self, steps: int = 10 * _BUDGET) -> None:
        self.steps = steps


Block = tuple[int, int, int]  # a place in both texts, and the number of lines that are the same


def diff_texts(old: str, new: str, *, whole: bool = True, budget: DiffBudget | None = None) -> tuple[Hunk, ...]:
    """The hunks that lead from a text to another; `whole`: they are files, so that lines have numbers."""
    before, after = _lines(old, whole), _lines(new, whole)
    blocks = _matching(before, after, budget or DiffBudget())
    return tuple(_hunk(before, after, group, whole) for group in _grouped(before, after, blocks))


def _lines(text: str, whole: bool) -> list[str]:
    """Lines with their ends; only \\n ends one, as in git. The end of a part of a file is not the end of a line."""
    lines = [f"{line}\n" for line in text.split("\n")]
    if text.endswith("\n") or not text:
        lines.pop()
    elif whole:
        lines[-1] = lines[-1][:-1]
    return lines


def _matching(before: Sequence[str], after: Sequence[str], budget: DiffBudget) -> list[Block]:
    """Equal blocks in order; the last one is empty and at both ends."""
    start, shorter = 0, min(len(before), len(after))
    while start < shorter and before[start] == after[start]:
        start += 1
    end = 0
    while end < shorter - start and before[-1 - end] == after[-1 - end]:
        end += 1
    middle = _shortest(before[start : len(before) - end], after[start : len(after) - end], budget)
    blocks = [(0, 0, start), *((start + a, start + b, n) for a, b, n in middle)]
    blocks += [(len(before) - end, len(after) - end, end), (len(before), len(after), 0)]
    return [block for block in blocks if block[2]] + blocks[-1:]


def _shortest(before: Sequence[str], after: Sequence[str], shared: DiffBudget) -> list[Block]:
    """Myers' shortest edit script within a budget; no block when it is used up."""
    width, height = len(before), len(after)
    if not set(before) & set(after):  # a new file, or another text
        return []
    ends = {1: 0}  # the furthest place in `before` on each diagonal
    steps: list[dict[int, int]] = []
    budget = allowed = min(_BUDGET, shared.steps)
    for distance in range(width + height + 1):
        if budget < 0:
            break
        steps.append(dict(ends))
        for diagonal in range(-distance, distance + 1, 2):
            is_down = diagonal == -distance or (
                diagonal != distance and ends.get(diagonal - 1, -1) < ends.get(diagonal + 1, -1)
            )
            x = ends[diagonal + 1] if is_down else ends[diagonal - 1] + 1
            first = x
            while x < width and x - diagonal < height and before[x] == after[x - diagonal]:
                x += 1
            ends[diagonal] = x
            budget -= x - first + 1
            if x >= width and x - diagonal >= height:
                shared.steps -= allowed - budget
                return _walk_back(steps, width, height)
        budget -= distance  # the copy of the ends
    shared.steps -= allowed - budget
    return []


def _walk_back(steps: list[dict[int, int]], x: int, y: int) -> list[Block]:
    blocks: list[Block] = []
    for distance in range(len(steps) - 1, -1, -1):
        ends, diagonal = steps[distance], x - y
        is_down = diagonal == -distance or (
            diagonal != distance and ends.get(diagonal - 1, -1) < ends.get(diagonal + 1, -1)
        )
        previous = diagonal + 1 if is_down else diagonal - 1
        start = ends[previous] if is_down else ends[previous] + 1
        if distance == 0:
            start = 0
        if x > start:
            blocks.append((start, start - diagonal, x - start))
        x = ends[previous]
        y = x - previous
    return blocks[::-1]


def _grouped(before: Sequence[str], after: Sequence[str], blocks: list[Block]) -> Iterator[list[Block]]:
    """The equal blocks around each hunk: [the one before, those inside, the one after], cut to their context."""
    group: list[Block] = [(0, 0, 0)]
    for a, b, size in blocks:
        is_end = (a + size, b + size) == (len(before), len(after))
        if group == [(0, 0, 0)] and (a, b) == (0, 0):
            group = [_tail(a, b, size)]
            continue
        if size > 2 * _CONTEXT or is_end:
            group.append((a, b, min(size, _CONTEXT)))
            if _differs(group):
                yield group
            if is_end:
                return
            group = [_tail(a, b, size)]
        else:
            group.append((a, b, size))


def _tail(a: int, b: int, size: int) -> Block:
    kept = min(size, _CONTEXT)
    return (a + size - kept, b + size - kept, kept)


def _differs(group: list[Block]) -> bool:
    (a, b, size), (last_a, last_b, _) = group[0], group[-1]
    return (a + size, b + size) != (last_a, last_b)


def _hunk(before: Sequence[str], after: Sequence[str], group: list[Block], whole: bool) -> Hunk:
    x, y, _ = group[0]
    lines: list[str] = []
    for a, b, size in group:
        lines += (f"-{line}" for line in before[x:a])
        lines += (f"+{line}" for line in after[y:b])
        lines += (f" {line}" for line in before[a : a + size])
        x, y = a + size, b + size
    (a, b, _), shown = group[0], tuple(_shown(lines))
    if not whole:
        return Hunk(shown)
    # as in git: an empty side begins at the line before it
    return Hunk(shown, a + (x > a), b + (y > b))


def _shown(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if line.endswith("\n"):
            yield line[:-1]
        else:
            yield line
            yield NO_NEWLINE
