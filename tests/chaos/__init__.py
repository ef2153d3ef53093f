"""Servers that are killed or stopped while tables play, and what must be true afterwards."""
