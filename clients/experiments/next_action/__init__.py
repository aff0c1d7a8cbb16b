"""How well models of an opponent predict the next action: counted, a tree, a network."""
