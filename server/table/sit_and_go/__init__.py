"""What every sit-and-go has, in a tournament and at a table of the room: levels, places, prizes."""
