"""A table of the room: who is dealt in, what each hand comes to, who watches."""
