"""Refs of ended shows on a remote: work of attempts, fences and the integration branch, and which may be deleted."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from lionstudio.errors import LionError
from lionstudio.shows.git.remote.mirror import NAMESPACES, RemoteMirror, open_mirror, waiting_for_remote
from lionstudio.shows.git.remote.transport import LONG_SECONDS, RefUpdate
from lionstudio.shows.git.show_refs import ShowRef, list_unmerged
from lionstudio.system.filenames import shown
from lionstudio.system.git import Git

_SEEN = "refs/lion/ended/"  # in the mirror: all branches of the remote, and the refs of one show


def list_ended_refs(
    remote: str, topic: str, *, home: str, work: bool, branches: bool, force: bool = False
) -> list[ShowRef]:
    """List the refs of a show on its remote with the reason to keep each; nothing is deleted.

    Without `force`, one whose commits no other branch of the remote contains is kept. A fence has no work.
    """
    mirror = open_mirror(remote, home=home)
    prefixes = [f"{namespace}{topic}/" for namespace in NAMESPACES] if work else []
    prefixes += [f"refs/heads/show/{topic}/"] if branches else []
    patterns = ("refs/heads/*", *(f"{prefix}*" for prefix in prefixes if not prefix.startswith("refs/heads/")))
    with waiting_for_remote(f"{mirror.path}.ended.lock"):
        specs = [f"+{pattern}:{_SEEN}{pattern.removeprefix('refs/')}" for pattern in patterns]
        mirror.transport.fetch(specs, strict=False, seconds=LONG_SECONDS)
        refs = _list_seen(mirror)
    chosen = {name: facts for name, facts in refs.items() if name.startswith(tuple(prefixes))} if prefixes else {}
    others = [oid for name, (oid, _) in refs.items() if name not in chosen and name.startswith("refs/heads/")]
    with_work = [oid for name, (oid, _) in chosen.items() if not name.endswith("/fence")]
    unmerged = set() if force else list_unmerged(Git(git_dir=mirror.path), with_work, others)
    why = "not merged into another branch"
    return [
        ShowRef(topic, name, oid, at, why if oid in unmerged and not name.endswith("/fence") else None)
        for name, (oid, at) in sorted(chosen.items())
    ]


def _list_seen(mirror: RemoteMirror) -> dict[str, tuple[str, float]]:
    form = "--format=%(refname) %(objectname) %(committerdate:unix)"
    lines = Git(git_dir=mirror.path).check("for-each-ref", form, _SEEN).lines
    fields = (line.split(" ") for line in lines)
    return {f"refs/{name.removeprefix(_SEEN)}": (oid, float(date or 0)) for name, oid, date in fields}


def delete_ended_refs(remote: str, refs: Sequence[ShowRef], *, home: str) -> list[ShowRef]:
    """Delete refs from a remote; return those that stay, with the reason. One that has moved meanwhile stays."""
    try:
        mirror = open_mirror(remote, home=home)
    except LionError as error:
        return [ref._replace(kept=error.message) for ref in refs]
    kept: list[ShowRef] = []
    for at, ref in enumerate(refs):  # one by one: a remote may not be able to do more
        try:
            outcome = mirror.transport.push([RefUpdate(ref.ref, None, ref.oid)])
        except LionError as error:  # it is away, or refuses us: that holds for the rest too
            return kept + [rest._replace(kept=error.message) for rest in refs[at:]]
        if outcome.by_remote:
            reason = outcome.messages or "; ".join(outcome.rejected.values())
            kept.append(ref._replace(kept=f"the remote {mirror.transport.shown} refuses: {shown(reason)}"))
        elif outcome.rejected and _is_there(mirror, ref):
            kept.append(ref._replace(kept="it has moved meanwhile"))
    return kept


def _is_there(mirror: RemoteMirror, ref: ShowRef) -> bool:
    """False for one that another process has deleted first."""
    with suppress(LionError):
        return ref.ref in mirror.transport.list_refs(ref.ref)
    return True
