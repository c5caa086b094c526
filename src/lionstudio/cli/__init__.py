"""The command `li`: a module without underscore is a command, imported when it is called; the others are helpers."""
