"""The room: many tables behind one door, people who come and go, money that carries over."""
