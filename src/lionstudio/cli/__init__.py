"""The command `li`: one module a group of commands, imported only when that command is called."""
