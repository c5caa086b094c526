"""Command gates, reviewing agents, verdicts."""
