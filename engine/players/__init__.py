"""Opponents: what they may hold and what they will do (Poki 3.3.3; Loki, "Opponent modeling").

======================  ===========================================================================
``probability_triple``  {fold, call, raise}: sampling, mixing; plain Python
``weight_table``        how likely a player is to hold each of the 1326 combos
``action_context``      the public situation of a player who is to act
``board_values``        strength and potential of all combos on a board at once
``hand_values``         the value of each combo in a situation
``models``              the formula, and the models that predict a player's actions
``betting_chains``      betting sequences of whole hands, and values of actions from how such hands ended
``bet_sizes``           sizes of a player's raises in no-limit games
``hand_play``           what each position did in a finished hand
``statistics``          running statistics and playing style
``table_reader``        the weight tables of all players in a hand, from public information
``learning``            lets models learn from a finished hand, and scores their predictions
``trials``              simulation: the value of an action, by selective sampling
======================  ===========================================================================

The numbers of every triple come from ``engine.kernels.players.triples``.
"""
