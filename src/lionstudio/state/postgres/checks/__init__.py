"""Checks of a server: whether it can be a hub, and its health."""
