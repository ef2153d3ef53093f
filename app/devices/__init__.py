"""Tables in-world: the words LSL speaks, who is registered, what is pushed."""
