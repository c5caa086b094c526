"""Commands that run agents, and follow or stop runs."""
