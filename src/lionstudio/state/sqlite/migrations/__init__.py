"""Migrations: from_version_N.sql leads from schema version N to N + 1, from_records from the design records' own."""
