"""Turns the messages of a running agent into rows while it runs."""
