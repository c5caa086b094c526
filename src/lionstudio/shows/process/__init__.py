"""The process that directs one show: lock, workflow, engine, inbox."""
