"""Models of a player: given a public situation, the probability triple of every combo.

===============  ==================================================================================
``model``        what a model of an opponent is; the model that knows nothing
``formula``      the one calibrated function from a public situation to the triples of all combos
``generic``      the model that takes everybody for a reasonable player, who follows the formula
``player``       the model that learns this player's curves of folds and raises
``explanation``  why it says what it says
``frequencies``  the model that acts by frequencies it is given, by situation
``saved``        numbers from memory files
``vote``         several models, weighted by how well each has predicted a player
===============  ==================================================================================
"""
