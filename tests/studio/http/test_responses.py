"""Responses: a page of rows is encoded faster, to the same bytes."""

from __future__ import annotations

from typing import Any

import pytest

from lionstudio.studio.http.responses import encode_json, encode_rows


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -(2**63),
        1769641200.0,
        1769641200.123456,
        0.0,
        -0.0,
        1e-4,
        9e15,
        5e-05,
        1e16,
        1e300,
        float("inf"),
        'quotes " and \\ / and \n\t\b\f\r and \0\x1f\x7f and ü🦁\u2028<&>',
        "lone \ud800",
        b"\xff\x00",
        (1, "a"),
        [],
        ["a", 1, None],
        [1e-7],
        [b"x"],
        {"pid": 12, "boot": "x"},
        {"ticks": 1e-7},
        {"deep": [{}]},
    ],
)
def test_encode_rows_writes_what_encode_json_writes(value: Any) -> None:
    rows = [{"id": "a", "value": 1}, {"id": "b", "value": value}]

    encoded = encode_rows("runs", rows, {"next_cursor": None, "counts": {"running": 1}})

    assert encoded == encode_json({"runs": rows, "next_cursor": None, "counts": {"running": 1}})
