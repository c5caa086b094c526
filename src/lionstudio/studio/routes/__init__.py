"""The routes, a module a resource. A handler reads rows or files, makes the answer and decides nothing else."""
