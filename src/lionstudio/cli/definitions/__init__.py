"""`li agents`, `li playbooks`, `li skills`, `li plugins`: one module per verb, shared by the four kinds."""
