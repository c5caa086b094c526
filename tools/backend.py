"""The build backend: hatchling's, with the web page built first where a wheel or an sdist is made.

Editable installs stay hatchling's own, so that working on the Python half never fetches Node.
"""

from __future__ import annotations

from typing import Any

from hatchling import build as hatchling
from hatchling.build import *  # noqa: F403

import web

# Replacing four of the names that the star brought is the whole purpose of this module.
# mypy: disable-error-code="no-redef"


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """What the wheel needs, and Node if the page must be built."""
    return [*hatchling.get_requires_for_build_wheel(config_settings), *web.requirements()]


def get_requires_for_build_sdist(config_settings: dict[str, Any] | None = None) -> list[str]:
    """What the sdist needs, and Node if the page must be built."""
    return [*hatchling.get_requires_for_build_sdist(config_settings), *web.requirements()]


def build_wheel(
    wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """The wheel, with the page inside."""
    web.build()
    return hatchling.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    """The sdist, with the built page inside and not its sources: installing it needs no Node."""
    web.build()
    return hatchling.build_sdist(sdist_directory, config_settings)
