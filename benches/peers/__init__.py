"""Other products on the same work, beside ours: `make bench-peers`."""
