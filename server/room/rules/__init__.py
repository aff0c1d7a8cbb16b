"""Rules of a room's tables, without sockets: who is dealt in and posts, how pots are settled."""
