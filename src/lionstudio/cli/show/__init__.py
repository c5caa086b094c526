"""`li show`: plan, run and decide about shows."""
