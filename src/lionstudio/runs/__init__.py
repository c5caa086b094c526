"""Prepare, run, record and stop agents."""
