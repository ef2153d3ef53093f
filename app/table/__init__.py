"""The one writer around the rules: load, decide, append, reply, push."""
