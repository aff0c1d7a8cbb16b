"""The room's ledger: chips and hands in one SQLite file."""
