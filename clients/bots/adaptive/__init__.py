"""The adaptive bot: expectimax against habits that it has counted."""
