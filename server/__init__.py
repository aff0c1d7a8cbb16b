"""The house: opens tables, seats players, deals, keeps time and records, reports.

See README.md in this folder for what a match is, what happens when a player fails, and where things are.
"""
