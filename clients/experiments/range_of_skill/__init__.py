"""How much skill a small game has room for: lists of strategies each of which beats all before it."""
