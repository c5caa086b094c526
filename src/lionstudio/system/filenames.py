"""Check names that come from outside (a URL, a command line, a file), and find programs by name."""

from __future__ import annotations

import os

from lionstudio.errors import InvalidInput

MOST_BYTES = 100  # leaves room for every suffix and temporary name within the 255 of file systems

_HINT = "use letters, digits, dots, dashes and underscores"


def check_name(value: object, what: str = "name") -> str:
    """Return the name, or raise InvalidInput with what is wrong with it."""
    fault = fault_of_name(value)
    if fault is None:
        return str(value)
    raise InvalidInput(f"the {what} {shown(str(value))!r:.120} {fault}", hint=_HINT)


def fault_of_name(value: object) -> str | None:
    """Return what is wrong with a name, None when it is valid."""
    if not isinstance(value, str):
        return "is not text"
    if not value:
        return "is empty"
    if not value.isprintable():
        return "contains unprintable characters"
    if len(value.encode()) > MOST_BYTES:
        return f"is longer than {MOST_BYTES} bytes"
    if "/" in value or "\\" in value:
        return "contains a slash"
    if value[0] in ".-" or value != value.strip():
        return "starts with a dot or a dash, or has spaces around it"
    return None


def shown(text: str) -> str:
    """Escape the unprintable characters of a path or name, so that it is safe in a message."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def absolute_path_entries(path: str) -> str:
    """PATH without relative entries, which would lead into the folder of an agent or of a cloned repository."""
    return os.pathsep.join(entry for entry in path.split(os.pathsep) if os.path.isabs(entry))


def which(name: str, path: str | None) -> str | None:
    """Find a program like `shutil.which`, without the relative entries of PATH."""
    import shutil  # slow to load, and most users of this module only need names

    return shutil.which(name, path=absolute_path_entries(os.defpath if path is None else path))
