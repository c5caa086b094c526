"""Draw the DAG of a show as text, with a lane from each play to its dependents, or as a Mermaid flowchart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lionstudio.model.shows.show import Play
from lionstudio.model.status.statuses import PLAYS, row_of

_NODE = "●"
# (from above, to below, from the left, to the right)
_JOINTS = {
    (1, 1, 0, 0): "│",
    (1, 1, 0, 1): "├",
    (1, 1, 1, 0): "┤",
    (1, 1, 1, 1): "┼",
    (1, 0, 0, 1): "╰",
    (1, 0, 1, 0): "╯",
    (1, 0, 1, 1): "┴",
    (0, 1, 0, 1): "╭",
    (0, 1, 1, 0): "╮",
    (0, 1, 1, 1): "┬",
    (0, 0, 1, 1): "─",
}
_CLASSES = {
    "success": "fill:#dcfce7,stroke:#15803d",
    "info": "fill:#dbeafe,stroke:#1d4ed8",
    "danger": "fill:#fee2e2,stroke:#b91c1c",
    "warning": "fill:#fef3c7,stroke:#b45309",
}

Needs = Mapping[str, Sequence[str]]


def draw(needs: Needs) -> list[tuple[str, str]]:
    """The lines of a graph, dependencies first: the lanes, and the name of the play or ""."""
    rows = list(_rows(needs))
    widest = max((len(lanes) for lanes, _ in rows), default=0)
    return [(lanes.ljust(widest + 2), name) for lanes, name in rows]


def _rows(needs: Needs) -> Iterator[tuple[str, str]]:
    order = _ordered(needs)
    dependents = {name: sum(name in needs[other] for other in order) for name in order}  # not drawn yet
    lanes: list[str | None] = []
    for name in order:
        before = list(lanes)
        sources = [column for column, lane in enumerate(lanes) if lane is not None and lane in needs[name]]
        for column in sources:
            dependents[str(lanes[column])] -= 1
        ending = [column for column in sources if not dependents[str(lanes[column])]]
        for column in ending:
            lanes[column] = None
        node = ending[0] if ending else _free_lane(lanes)
        lanes[node] = name
        yield from _joint(before, lanes, sources, node)
        yield " ".join(_NODE if column == node else _lane(lane) for column, lane in enumerate(lanes)), name
        if not dependents[name]:
            lanes[node] = None
        while lanes and lanes[-1] is None:
            lanes.pop()


def _free_lane(lanes: list[str | None]) -> int:
    """The first free lane."""
    if None not in lanes:
        lanes.append(None)
    return lanes.index(None)


def _lane(lane: str | None) -> str:
    return " " if lane is None else "│"


def _joint(
    before: list[str | None], after: list[str | None], sources: list[int], node: int
) -> Iterator[tuple[str, str]]:
    """The line between two rows where lanes join or split."""
    if not sources:
        return
    first, last = min(*sources, node), max(*sources, node)
    cells = []
    for column, lane in enumerate(after):
        above = column < len(before) and before[column] is not None
        if column in sources or column == node:
            key = (above, lane is not None, first < column, column < last)
            cells.append(_JOINTS[tuple(map(int, key))])  # type: ignore[index]
        else:
            cells.append("│" if lane is not None else "─" if first < column < last else " ")
    text = cells[0]
    for column, cell in enumerate(cells[1:], 1):
        text += ("─" if first < column <= last else " ") + cell
    yield text, ""


def _ordered(needs: Needs) -> list[str]:
    """Topological order, else the order of the plan; plays in a cycle come last."""
    waiting = {name: {need for need in names if need in needs} for name, names in needs.items()}
    order: list[str] = []
    while ready := next((name for name, open_needs in waiting.items() if not open_needs - set(order)), None):
        order.append(ready)
        del waiting[ready]
    return [*order, *waiting]


def mermaid(plays: Sequence[Play]) -> Iterator[str]:
    """A Mermaid flowchart with the state of each play; names are quoted, so that none is parsed as syntax."""
    yield "flowchart LR"
    ids = {play.name: f"p{number}" for number, play in enumerate(plays)}
    for play in plays:
        yield f'  {ids[play.name]}["{_quoted(play.name)}<br/>{_quoted(row_of(PLAYS, play.status).label)}"]'
    for play in plays:
        for need in play.depends_on:
            if need in ids:
                yield f"  {ids[need]} --> {ids[play.name]}"
    for tone, style in _CLASSES.items():
        members = ",".join(ids[play.name] for play in plays if row_of(PLAYS, play.status).tone == tone)
        if members:
            yield f"  classDef {tone} {style}"
            yield f"  class {members} {tone}"


def _quoted(text: str) -> str:
    """Encode everything but plain characters as Mermaid entities."""
    return "".join(char if char.isalnum() or char in " ._-" else f"#{ord(char)};" for char in text)
