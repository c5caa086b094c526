"""Git operations of a show: checkouts, collecting work, merging, cleanup."""
