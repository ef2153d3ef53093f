"""Measurements: `python -m bench` prints one table."""
