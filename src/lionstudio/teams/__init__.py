"""Agents that write to each other by name."""
