"""Addresses of remotes: which are used, which are refused, and that no credentials get through."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.repositories import git, make_repo

from lionstudio.errors import InvalidInput, LionError, NotFound
from lionstudio.shows.git.remote.address import check_address, resolve_remote, without_credentials

SECRET = "s3cr3t-t0ken"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("https://git.example.com/team/x.git", "https://git.example.com/team/x.git"),
        ("HTTPS://git.example.com:8443/x", "https://git.example.com:8443/x"),
        (f"https://{SECRET}@git.example.com/x.git", "https://git.example.com/x.git"),
        ("ssh://git@host.example.com:2222/x.git", "ssh://git@host.example.com:2222/x.git"),
        ("git://127.0.0.1:9418/x.git", "git://127.0.0.1:9418/x.git"),
        ("git@github.com:me/x.git", "git@github.com:me/x.git"),
        ("host:/srv/git/x.git", "host:/srv/git/x.git"),
        ("https://[::1]:80/x.git", "https://[::1]:80/x.git"),
    ],
)
def test_check_address_accepts_urls(given: str, kept: str) -> None:
    assert check_address(given) == kept


@pytest.mark.parametrize(
    "address",
    [
        "ext::sh -c 'touch /tmp/pwned'",
        "fd::17",
        "testgit::/x",
        "ext://x/y",
        "-u./payload",
        "--upload-pack=touch /tmp/pwned",
        "ssh://-oProxyCommand=touch%20pwned/x",
        "ssh://git@-oProxyCommand=x/x",
        "ssh://%2DoProxyCommand@host/x",
        "ssh://host/-x",
        "-oProxyCommand=x:path",
        "host:-x",
        "-host@x:y",
        "file://other.example.com/etc",
        "file://../x",
        "ftp://host/x.git",
        "https://host",
        "https:///x.git",
        "https://host/x.git?token=abc",
        "https://host/x.git#abc",
        "https://host:99999999/x.git",
        "https://ho st/x.git",
        "https://host/x\n.git",
        "",
        " https://host/x",
        "x" * 3000,
    ],
)
def test_check_address_refuses_everything_else(address: str) -> None:
    with pytest.raises((InvalidInput, NotFound)):
        check_address(address)


def test_check_address_refuses_a_password_and_does_not_repeat_it() -> None:
    with pytest.raises(InvalidInput, match="has a password in it") as caught:
        check_address(f"https://me:{SECRET}@host/x.git")
    assert SECRET not in f"{caught.value.message} {caught.value.hint}"
    for address in (f"ftp://me:{SECRET}@host/x", f"https://me:{SECRET}@host/x?y", f"https://me:{SECRET}@ho|st/x"):
        with pytest.raises(InvalidInput) as caught:
            check_address(address)
        assert SECRET not in f"{caught.value.message} {caught.value.hint}"


def test_check_address_accepts_folders_only(tmp_path: Path) -> None:
    users = make_repo(tmp_path / "users")
    for given in (str(users), f"file://{users}", f"file://localhost{users}", "../users", str(users / ".." / "users")):
        assert check_address(given, folder=str(users)) == str(users)
    (tmp_path / "x.bundle").write_bytes(b"")
    for given in (str(tmp_path / "x.bundle"), f"file://{tmp_path}/x.bundle", str(tmp_path / "nowhere")):
        with pytest.raises(NotFound, match="is not a folder"):
            check_address(given)
    with pytest.raises(InvalidInput, match="relative path"):
        check_address("../users")


def test_resolve_remote_finds_origin_and_leaves_its_credentials_there(tmp_path: Path) -> None:
    users = make_repo(tmp_path / "users")
    with pytest.raises(InvalidInput, match="has no remote origin") as caught:
        resolve_remote(None, str(users))
    assert "remote: URL" in str(caught.value.hint)
    for url, kept in (
        (f"https://me:{SECRET}@host/x.git", "https://host/x.git"),
        (f"https://{SECRET}@host/x.git", "https://host/x.git"),
        (f"ssh://git:{SECRET}@host/x.git", "ssh://git@host/x.git"),
        ("git@host:x.git", "git@host:x.git"),
        (".", str(users)),
    ):
        git(users, "config", "remote.origin.url", url)
        assert resolve_remote(None, str(users)) == resolve_remote("origin", str(users)) == kept
    git(users, "config", "remote.other.url", "gh:me/x")
    git(users, "config", f"url.https://{SECRET}@github.com/.insteadOf", "gh:")
    assert resolve_remote("other", str(users)) == "https://github.com/me/x"
    git(users, "config", "remote.origin.pushurl", "https://elsewhere/x.git")
    with pytest.raises(InvalidInput, match="pushed to another"):
        resolve_remote(None, str(users))


def test_resolve_remote_refuses_a_hostile_origin(tmp_path: Path) -> None:
    users = make_repo(tmp_path / "users")
    for url in ("ext::sh -c true", "-x", "file://other/x", "ssh://-oProxyCommand=x/x"):
        git(users, "config", "remote.origin.url", url)
        with pytest.raises(LionError):
            resolve_remote(None, str(users))


def test_resolve_remote_needs_a_remote_or_a_repository() -> None:
    with pytest.raises(InvalidInput, match="neither a remote nor a repository"):
        resolve_remote(None, None)


def test_without_credentials_hides_every_user_of_a_url() -> None:
    text = f"fatal: unable to access 'https://me:{SECRET}@host/x.git/' and http://{SECRET}@host: no"
    assert without_credentials(text) == "fatal: unable to access 'https://***@host/x.git/' and http://***@host: no"
