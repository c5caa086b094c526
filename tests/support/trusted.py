"""Trust the `.lionagi` folder of a repository, as a person does with `li trust`."""

from __future__ import annotations

from pathlib import Path

from lionstudio.files.definitions.trust import read_content, trust


def trust_repository(home: Path, repository: Path) -> None:
    folder = str(repository / ".lionagi")
    trust(str(home), folder, read_content(folder).digest)
