"""Authentication, limits, headers and error responses."""
