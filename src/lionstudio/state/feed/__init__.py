"""The numbered change feed and its replay."""
