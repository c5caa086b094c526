"""Redaction of secrets: the formats of secrets, and the redactor that removes them from text."""
