"""Addresses of remotes: which ones are used, and how they are shown; none that we keep has credentials in it."""

from __future__ import annotations

import os
import re
import shlex
from urllib.parse import unquote, urlsplit

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.shows.git.preflight import find_repo
from lionstudio.shows.git.setup import read_users_config
from lionstudio.system.filenames import shown

ORIGIN = "origin"
URL_PROTOCOLS = ("ssh", "https", "http", "git")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_HELPER = re.compile(r"[A-Za-z0-9_+.-]+::")  # `ext::` and others: git would run a program of that name
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
_HOST = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+(?:%[A-Za-z0-9]+)?\])(?::[0-9]{1,5})?")
_SSH_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
_SCP = re.compile(r"(?:([^@/:\s]+)@)?([A-Za-z0-9_][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\]):(?!//)([^\s].*)", re.DOTALL)
_USERINFO = re.compile(r"(?<=://)[^/\s'\"]*@")
_LONGEST = 2000


def resolve_remote(remote: str | None, repo: str | None) -> str:
    """Return the address of a plan's remote: a URL, a path, or the name of a remote of `repo`, `origin` by default."""
    text = ORIGIN if remote is None else remote
    if _NAME.fullmatch(text):
        return _find_remote(text, repo)
    return check_address(text, folder=repo)


def check_address(address: str, *, folder: str | None = None) -> str:
    """Return an address in the form in which it is kept; refuse protocols that run programs, and passwords.

    A relative path starts at `folder`.
    """
    if not address or len(address) > _LONGEST or not address.isprintable() or address != address.strip():
        raise InvalidInput("the remote is empty, too long or has unprintable characters", hint=_HINT)
    if address.startswith("-") or _HELPER.match(address):
        raise _refused(address, "is not an address that shows use")
    if scheme := _SCHEME.match(address):
        return _check_url(address, scheme[1].lower())
    if not address.startswith((".", "/", "~")) and (scp := _SCP.fullmatch(address)):
        return _check_scp(address, scp)
    return _check_path(address, folder)


def as_argument(text: str) -> str:
    """Return a path or an address as a word of a command that is printed."""
    return shlex.quote(shown(without_credentials(text)))


def without_credentials(text: str) -> str:
    """Hide user names and passwords of the URLs in a text; git names the URL in most of its messages."""
    return _USERINFO.sub("***@", text)


_HINT = "use https://, ssh://, git://, HOST:PATH or the path of a repository"


def _refused(address: str, why: str, hint: str = _HINT) -> InvalidInput:
    return InvalidInput(f"the remote {shown(without_credentials(address))!r:.200} {why}", hint=hint)


def _check_url(url: str, scheme: str) -> str:
    if scheme == "file":
        return _check_file_url(url)
    if scheme not in URL_PROTOCOLS:
        raise _refused(url, f"uses the protocol {scheme}, which shows do not")
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  raises for a number that is none
    except ValueError:
        raise _refused(url, "is not a URL") from None
    user, _, host = parts.netloc.rpartition("@")
    if parts.query or parts.fragment or not _HOST.fullmatch(host) or not parts.path.strip("/"):
        raise _refused(url.partition("?")[0], "is not the URL of a repository")
    if ":" in user:
        raise _refused(
            url,
            "has a password in it, which every machine of the show would read",
            hint="remove it, and give each machine its own: a credential helper, or an ssh key",
        )
    if scheme == "ssh" and user and not _SSH_USER.fullmatch(unquote(user)):
        raise _refused(url, "has no valid user name")
    if parts.path.startswith("/-"):
        raise _refused(url, "has a path that starts with a dash")
    # the user name of a web address is often a token
    return f"{scheme}://{user + '@' if scheme == 'ssh' and user else ''}{host}{parts.path}"


def _check_file_url(url: str) -> str:
    host, slash, path = url[len("file://") :].partition("/")
    if host.lower() not in ("", "localhost") or not slash:
        raise _refused(url, "names a file of another machine")
    return _check_path("/" + unquote(path), None)


def _check_scp(address: str, scp: re.Match[str]) -> str:
    user, _host, path = scp.groups()
    if (user and not _SSH_USER.fullmatch(user)) or path.startswith("-"):
        raise _refused(address, "is not an address that shows use")
    return address


def _check_path(address: str, folder: str | None) -> str:
    path = os.path.expanduser(address)
    if not os.path.isabs(path):
        if folder is None:
            raise _refused(address, "is a relative path", hint="use the full path of the repository")
        path = os.path.join(os.path.abspath(folder), path)
    path = os.path.realpath(path)
    if not path.isprintable():  # where a link leads to
        raise _refused(address, "leads to a path with unprintable characters")
    if not os.path.isdir(path):
        raise NotFound(f"the remote {shown(path)} is not a folder on this machine", hint=_HINT)
    return path


def _find_remote(name: str, repo: str | None) -> str:
    """Return the address of a remote that the user's repository has; credentials in it stay there."""
    if repo is None:
        raise InvalidInput(
            "the plan names neither a remote nor a repository", hint="add `remote: URL` to the plan, for all machines"
        )
    located = find_repo(repo)
    key = re.escape(name)
    config = read_users_config(located.git_dir, rf"^(remote\.{key}\.(url|pushurl)|url\..*\.insteadof)$")
    url, push_url = config.get(f"remote.{name}.url"), config.get(f"remote.{name}.pushurl")
    if not url:
        command = f"git -C {as_argument(located.path)} remote add {as_argument(name)} URL"
        raise InvalidInput(
            f"{shown(located.path)} has no remote {name}, so other machines cannot fetch it",
            hint=f"add `remote: URL` to the plan, or run: {command}",
        )
    if push_url not in (None, url):
        raise InvalidInput(
            f"the remote {name} of {shown(located.path)} is fetched from one place and pushed to another",
            hint="name the one that the show uses in the plan: `remote: URL`",
        )
    return check_address(_drop_userinfo(_expand_alias(url, config)), folder=located.path)


def _expand_alias(url: str, config: dict[str, str]) -> str:
    """Replace an abbreviation that only this machine knows, such as `gh:`; others apply their own rules to a URL."""
    if _SCHEME.match(url) or os.path.isabs(url):
        return url
    aliases = {
        prefix: key.removeprefix("url.").rpartition(".")[0]
        for key, prefix in config.items()
        if key.startswith("url.") and prefix and url.startswith(prefix)
    }
    if not aliases:
        return url
    longest = max(aliases, key=len)
    return aliases[longest] + url.removeprefix(longest)


def _drop_userinfo(url: str) -> str:
    """Remove the password of a URL, and the user where it may be one."""
    scheme = _SCHEME.match(url)
    if not scheme:
        return url
    start, rest = url[: scheme.end()], url[scheme.end() :]
    netloc, slash, path = rest.partition("/")
    user, at, host = netloc.rpartition("@")
    kept = f"{user.partition(':')[0]}{at}" if scheme[1].lower() == "ssh" else ""
    return f"{start}{kept}{host}{slash}{path}"
