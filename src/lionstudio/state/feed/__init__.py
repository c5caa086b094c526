"""The numbered change feed."""
