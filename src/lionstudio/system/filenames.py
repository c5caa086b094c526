"""Names that come from outside (a URL, a command line, a file): one path component, checked here and nowhere else."""

from __future__ import annotations

from lionstudio.errors import InvalidInput

MOST_BYTES = 100  # leaves room for every suffix and temporary name within the 255 of file systems

_HINT = "use letters, digits, dots, dashes and underscores"


def check_name(value: object, what: str = "name") -> str:
    """The name itself, or a refusal that says what is wrong with it."""
    wrong = fault_of_name(value)
    if wrong is None:
        return str(value)
    raise InvalidInput(f"the {what} {shown(str(value))!r:.120} {wrong}", hint=_HINT)


def fault_of_name(value: object) -> str | None:
    """What keeps a text from being a name, None when nothing does."""
    if not isinstance(value, str):
        return "is not text"
    if not value:
        return "is empty"
    if not value.isprintable():
        return "holds characters that cannot be printed"
    if len(value.encode()) > MOST_BYTES:
        return f"is longer than {MOST_BYTES} bytes"
    if "/" in value or "\\" in value:
        return "holds a slash"
    if value[0] in ".-" or value != value.strip():
        return "starts with a dot or a dash, or has spaces around it"
    return None


def shown(text: str) -> str:
    """A path or name of unknown origin, fit for a message: what cannot be printed is spelled out."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)
