"""The authored half: agents, playbooks, plugins, show folders and team files, which people edit."""
