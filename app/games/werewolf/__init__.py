"""Werewolf, script G03 (P1501α): twelve players, four camps, and each wins by its own going out."""
