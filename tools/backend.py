"""Build backend: hatchling, with the web page built before a wheel or an sdist.

Editable installs use plain hatchling, so that Python development never installs Node.
"""

from __future__ import annotations

from typing import Any

from hatchling import build as hatchling
from hatchling.build import *  # noqa: F403

import web

# This module replaces four of the names that the star imports.
# mypy: disable-error-code="no-redef"


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """Build requirements of the wheel, and Node if the page must be built."""
    return [*hatchling.get_requires_for_build_wheel(config_settings), *web.requirements()]


def get_requires_for_build_sdist(config_settings: dict[str, Any] | None = None) -> list[str]:
    """Build requirements of the sdist, and Node if the page must be built."""
    return [*hatchling.get_requires_for_build_sdist(config_settings), *web.requirements()]


def build_wheel(
    wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    web.build()
    return hatchling.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    """Include the built page, not its sources: installing the sdist needs no Node."""
    web.build()
    return hatchling.build_sdist(sdist_directory, config_settings)
