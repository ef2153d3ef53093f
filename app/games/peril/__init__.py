"""Peril Dice, the first game of the table: 2–10 players, an elimination dice game."""
