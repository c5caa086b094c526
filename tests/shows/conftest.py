"""The harness of whole shows as a fixture."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.show_harness import ShowHarness


@pytest.fixture
def harness(tmp_path: Path) -> ShowHarness:
    return ShowHarness(tmp_path)
