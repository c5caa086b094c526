"""The process behind a request: its ancestors, and the owner of a loopback connection."""
