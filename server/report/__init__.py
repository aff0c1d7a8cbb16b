"""What a match came to: statistics, tables, files."""
