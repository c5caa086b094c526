"""Turn a request into a run: agent, playbook, flow, project."""
