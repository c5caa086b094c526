"""Edit history of agents and playbooks."""
