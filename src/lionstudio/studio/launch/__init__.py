"""Start `li` commands as processes."""
