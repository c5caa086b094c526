"""Terminals of the user: the socket that hooks report to, and the permission prompts that wait for an answer."""
