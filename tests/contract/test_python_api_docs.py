"""Every example of docs/reference/python-api.md runs as printed, and every public name is documented."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import lionstudio
from lionstudio.state.database import reading
from lionstudio.state.runs.run_list import Filters, list_sessions

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "reference" / "python-api.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_example_runs_as_printed(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIONAGI_HOME", str(tmp_path))
    monkeypatch.setenv("LIONAGI_DB", str(tmp_path / "state.db"))
    if ">>>" in example:
        test = doctest.DocTestParser().get_doctest(example, {}, "example", str(DOCUMENT), 0)
        assert doctest.DocTestRunner().run(test).failed == 0
        return
    exec(compile(example, str(DOCUMENT), "exec"), {})  # noqa: S102  (our own text)
    with reading(str(tmp_path / "state.db")) as conn:
        [row] = list_sessions(conn, Filters()).rows
    assert (row["name"], row["status"]) == ("my-agent", "completed")


@pytest.mark.parametrize("name", sorted(set(lionstudio.__all__) - {"__version__"}))
def test_public_name_is_documented(name: str) -> None:
    assert re.search(rf"\b{name}\b", DOCUMENT.read_text(encoding="utf-8"))
