"""`li state import`, `import-db`, `import-home`, `import-shows`, `import-teams`."""
