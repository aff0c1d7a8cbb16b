"""Models of a player's next action that find out for themselves which situations differ.

The counting model (``engine.players.models.specific``) has its contexts given.  These are alternatives to
it behind the same interface.  Both begin as the generic model and learn how the player departs from it.

============  =========================================================================
``features``  what they see of a decision, as numbers
``tree``      a decision tree that grows where its predictions are wrong
``network``   a small network of two layers, trained as actions come in
``model``     the model of an opponent whose frequencies one of them says
============  =========================================================================
"""
