"""One table, one match: seats, clocks, records, play."""
