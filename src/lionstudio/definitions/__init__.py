"""Versions of agent and playbook definitions."""
