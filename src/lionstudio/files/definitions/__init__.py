"""Agents, playbooks, skills and plugins on disk."""
