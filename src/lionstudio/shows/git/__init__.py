"""Git work of a show: checkouts, collecting, merging, cleanup."""
