"""Strict YAML: plain data, the line of every key, and errors with their line."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.support.hostile_folders import ALIAS_BOMB

from lionstudio.files.formats.frontmatter import split
from lionstudio.files.formats.strict_yaml import MOST_DEPTH, BadYaml, load


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# only a comment", None),
        ("a: 1\nb: [x, {y: 2.5}]", {"a": 1, "b": ["x", {"y": 2.5}]}),
        ("a: yes\nb: Off\nc: TRUE\nd: ~\ne:", {"a": True, "b": False, "c": True, "d": None, "e": None}),
        ("a: 'yes'\nb: \"1\"\nc: !!str 5", {"a": "yes", "b": "1", "c": "5"}),
        ("a: 2026-05-01\nb: 12:30\nc: 1_000\nd: 0x1f", {"a": "2026-05-01", "b": "12:30", "c": "1_000", "d": "0x1f"}),
        (
            "a: -3\nb: +4\nc: 1e3\nd: .5\ne: .nan\nf: 9" + "9" * 30,
            {"a": -3, "b": 4, "c": 1000.0, "d": 0.5, "e": ".nan", "f": "9" + "9" * 30},
        ),
        ("a: |\n  line\n  {x}\nb: >\n  one\n  two\n", {"a": "line\n{x}\n", "b": "one two\n"}),
        ("<<: {a: 1}\n1: x", {"<<": {"a": 1}, "1": "x"}),
        ("- a\n- - b\n  - c", ["a", ["b", "c"]]),
        ("---\na: 1\n...\n", {"a": 1}),
    ],
)
def test_load_yaml_values(text: str, value: Any) -> None:
    assert load(text).value == value


def test_load_yaml_records_the_line_of_every_key() -> None:
    lines = load("a: 1\nb:\n  c: 2\n  d:\n    - x\n    - y\n", first_line=5).lines

    assert lines == {(): 5, ("a",): 5, ("b",): 6, ("b", "c"): 7, ("b", "d"): 8, ("b", "d", 0): 9, ("b", "d", 1): 10}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: [", 3, "not valid YAML"),
        ("a: b: c", 1, "not valid YAML"),
        ("a: 1\n\tb: 2", 2, "not valid YAML"),
        ("a: 1\nb: \x07", 2, "not valid YAML"),
        ("x: 1\ny: &a 2", 2, "anchors and aliases"),
        ("x: *a", 1, "anchors and aliases"),
        (ALIAS_BOMB, 1, "anchors and aliases"),
        ("a: 1\nb: 2\na: 3", 3, "duplicate key 'a'"),
        ("x: {a: 1, a: 2}", 1, "duplicate key"),
        ("x: !!python/object/apply:os.system [id]", 1, "the tag"),
        ("x: !include secrets.yaml", 1, "the tag"),
        ("? [a]\n: 1", 1, "a key must be text"),
        ("a: 1\n---\nb: 2", 2, "a second document"),
        ("a: " + "[" * (MOST_DEPTH + 1), 1, "levels deep"),
        ("[" * 100_000, 1, "levels deep"),
        ("a: [" + "x, " * 100_001 + "]", 1, "values"),
        ("a: 1\nb: \ud800", 2, "not valid Unicode"),
    ],
)
def test_load_yaml_error_has_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(BadYaml) as refused:
        load(text)
    assert (refused.value.line, words in refused.value.message) == (line, True), refused.value.message
    assert refused.value.hint


plain = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**17), 10**17), st.text(max_size=20)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=10,
)


@given(st.dictionaries(st.text(max_size=8), plain, max_size=4))
def test_load_yaml_reads_the_output_of_pyyaml(value: dict[str, Any]) -> None:
    assert load(yaml.dump(value, Dumper=NoAliases)).value == value


class NoAliases(yaml.SafeDumper):
    """A YAML writer without aliases."""

    def ignore_aliases(self, _: Any) -> bool:
        return True


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=200))
def test_load_yaml_any_text_is_a_value_or_an_error(text: str) -> None:
    with suppress(BadYaml):
        load(text)


@pytest.mark.parametrize(
    ("text", "fields", "body"),
    [
        ("just text", {}, "just text"),
        ("---\nmodel: x\n---\nbody\n", {"model": "x"}, "body"),
        ("\ufeff\n  \n---\r\nmodel: x\r\n---\r\nbody\r\nmore", {"model": "x"}, "body\r\nmore"),
        ("---\n---\nbody", {}, "body"),
        ("---\nmodel: x\n---", {"model": "x"}, ""),
        ("---\nmodel: x\n---\nbody\n---\nstill body", {"model": "x"}, "body\n---\nstill body"),
        ("----\nno head", {}, "----\nno head"),
        ("--- x\nno head", {}, "--- x\nno head"),
    ],
)
def test_split_front_matter(text: str, fields: dict[str, Any], body: str) -> None:
    found = split(text)

    assert (found.fields, found.body) == (fields, body)


@pytest.mark.parametrize(
    ("text", "line"),
    [("---\nmodel: x\n", 1), ("\n\n---\nmodel: x", 3), ("---\n- a\n---\n", 2), ("\n---\na: 1\nb: [\n---\nx", 5)],
)
def test_split_front_matter_error_has_its_line(text: str, line: int) -> None:
    with pytest.raises(BadYaml) as refused:
        split(text)
    assert refused.value.line == line
