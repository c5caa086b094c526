"""`li show`: shows of agents, one module a verb."""
