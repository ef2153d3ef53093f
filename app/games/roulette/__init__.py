"""Hosted Russian roulette, "Theme by Baloor": 2–30 players, one gun, one pass each."""
