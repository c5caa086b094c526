"""Runs one agent: starts it, yields its messages, stops it. One module a provider."""
