"""Random inputs for what reads bytes from strangers; `make fuzz` tries many, the tests a few."""
