"""Commands that open and manage a room."""
