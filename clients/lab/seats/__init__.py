"""Who can sit at a table in this process: agents of ours, and remote players at the end of a connection."""
