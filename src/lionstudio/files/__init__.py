"""Files that people edit: agents, playbooks, plugins, show folders and team files."""
