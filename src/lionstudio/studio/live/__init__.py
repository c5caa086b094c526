"""The change feed as server-sent events."""
