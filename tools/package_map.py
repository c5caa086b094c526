"""Write the package map of ARCHITECTURE.md from the first docstring line of every package: `make docs`."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "lionstudio"
DOCUMENT = ROOT / "ARCHITECTURE.md"
BEGIN, END = "<!-- packages: begin -->\n", "<!-- packages: end -->\n"
# from the top layer to the bottom one, as in pyproject.toml
ROOMS = (
    "cli",
    "studio",
    "shows",
    "imports",
    "runs",
    "teams",
    "definitions",
    "embeddings",
    "show_sync",
    "hub",
    "agents",
    "state",
    "files",
    "model",
    "system",
)


def package_map() -> str:
    """The map as a Markdown table."""
    lines = ["| package | contents |", "|---|---|"]
    for room in ROOMS:
        for init in sorted((PACKAGE / room).rglob("__init__.py"), key=lambda path: path.parent.parts):
            docstring = ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))) or ""
            name = init.parent.relative_to(PACKAGE).as_posix()
            lines.append(f"| `{name}/` | {docstring.partition(chr(10))[0]} |")
    return "\n".join(lines) + "\n"


def with_map(text: str) -> str:
    """ARCHITECTURE.md with the current map."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{package_map()}{END}{after}"


if __name__ == "__main__":
    current = DOCUMENT.read_text(encoding="utf-8")
    if "--check" in sys.argv:
        sys.exit(current != with_map(current))
    DOCUMENT.write_text(with_map(current), encoding="utf-8")
