"""Run folders and branch snapshots of older tools."""
