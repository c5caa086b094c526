"""Compute embeddings of messages and of search queries."""
