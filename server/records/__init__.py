"""Results of matches: statistics, tables, files."""
