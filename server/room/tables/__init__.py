"""A table of the room: who is dealt what, what it comes to, who watches."""
