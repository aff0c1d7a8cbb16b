"""The room: many tables behind one door, people who come and go, chips that carry over."""
