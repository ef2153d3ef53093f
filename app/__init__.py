"""Peril Table: a party game table served over the web."""
