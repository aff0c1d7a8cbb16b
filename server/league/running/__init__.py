"""How matches of a tournament are played, and what people see meanwhile."""
