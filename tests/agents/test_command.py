"""A program as an agent: lines that arrive together are one message, JSON objects are messages of their own."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from lionstudio.agents.command import messages_of
from lionstudio.model.messages import ActionRequest, AssistantResponse, Instruction, Message
from lionstudio.system.program import Program

ENV = {"PATH": os.environ.get("PATH", os.defpath)}


def facts(messages: list[Message]) -> list[tuple[type[Message], object, object]]:
    return [(type(message), message.content, dict(message.metadata)) for message in messages]


@pytest.mark.parametrize(
    ("printed", "text", "metadata"),
    [
        (b"one line", "one line", {}),
        (b"first\nsecond\n\n  fourth", "first\nsecond\n\n  fourth", {"lines": 4}),
        (b"\n\nfirst\nsecond\n", "first\nsecond", {"lines": 2}),
        (b'42\n[1, 2\n"text"', '42\n[1, 2\n"text"', {"lines": 3}),
        (b'{"half": \n{', '{"half": \n{', {"lines": 2}),
        (b"bytes \xff\xfe\ncut \xe2\x82\nend", "bytes \\xff\\xfe\ncut \\xe2\\x82\nend", {"lines": 3}),
    ],
)
def test_messages_of_joins_lines(printed: bytes, text: str, metadata: dict[str, int]) -> None:
    assert facts(list(messages_of(printed))) == [(AssistantResponse, {"assistant_response": text}, metadata)]


@pytest.mark.parametrize("printed", [b"", b"\n", b" \n\t\n"])
def test_messages_of_skips_blank_lines(printed: bytes) -> None:
    assert list(messages_of(printed)) == []


def test_messages_of_keeps_json_objects_apart_and_in_order() -> None:
    printed = b"\n".join(
        [
            b"one",
            b"two",
            b'{"role": "user", "content": "hi", "n": 1}',
            b' {"function": "grep", "arguments": {}}',
            b"three {",
            b'{"other": 1}',
        ]
    )

    assert facts(list(messages_of(printed))) == [
        (AssistantResponse, {"assistant_response": "one\ntwo"}, {"lines": 2}),
        (Instruction, {"instruction": "hi"}, {"raw": {"n": 1}}),
        (ActionRequest, {"function": "grep", "arguments": {}}, {}),
        (AssistantResponse, {"assistant_response": "three {"}, {}),
        (Message, {"raw": {"other": 1}}, {}),
    ]


def test_line_groups_are_whole_lines_of_bounded_size(tmp_path: Path) -> None:
    lines = [b"%d %s" % (number, b"x" * (number % 90)) for number in range(20_000)]
    lines[7000] = b"long " * 1000
    source = tmp_path / "output"
    source.write_bytes(b"\n".join(lines) + b"\nlast line without an end")

    async def read() -> list[bytes]:
        async with Program(["cat", str(source)], cwd=str(tmp_path), env=ENV) as program:
            return [group async for group in program.line_groups(4096)]

    groups = asyncio.run(read())

    assert b"\n".join(groups) == source.read_bytes()
    assert [len(group) for group in groups if len(group) > 4096] == [len(lines[7000])]
    # a pipe is filled by pages, and each read has at least one
    assert len(groups) < len(lines) / 10


def test_line_groups_yield_a_line_that_arrives_alone_at_once(tmp_path: Path) -> None:
    """The program goes on only when its line has been read."""
    fifo = tmp_path / "go"
    os.mkfifo(fifo)
    code = f"print('ready', flush=True); open({str(fifo)!r}).read(); print('a'); print('b', flush=True)"

    async def read() -> list[bytes]:
        groups: list[bytes] = []
        async with asyncio.timeout(120), Program([sys.executable, "-c", code], cwd=str(tmp_path), env=ENV) as program:
            async for group in program.line_groups(4096):
                groups.append(group)
                if len(groups) == 1:
                    await asyncio.to_thread(fifo.write_text, "go")
        return groups

    assert asyncio.run(read()) == [b"ready", b"a\nb"]
