"""Errors of a remote: away (try again), refused (final), and a fence that another machine has raised."""

from __future__ import annotations

from lionstudio.errors import Busy, Conflict


class RemoteAway(Busy):
    """The remote does not answer, or the connection was cut; nothing says that the work is wrong."""


class RemoteRefused(Conflict):
    """The remote refuses us, or what we ask for; trying again changes nothing."""


class StaleFence(Conflict):
    """Another worker has taken over the play: this one may no longer move its refs."""
