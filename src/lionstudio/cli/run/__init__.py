"""Run agents, follow and stop runs."""
