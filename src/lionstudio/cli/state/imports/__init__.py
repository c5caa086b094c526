"""`li state import`, `import-db`, `import-shows`, `import-teams`."""
