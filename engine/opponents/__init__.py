"""Opponents: what they may hold and what they will do (Poki 3.3.3; Loki, "Opponent modeling").

======================  ===========================================================================
``probability_triple``  {fold, call, raise}: sampling, mixing, noise; plain Python
``weight_table``        how likely a player is to hold each of the 1326 combos
``action_context``      the public situation of a player who is to act
``board_values``        strength and potential of all combos on a board at once
``hand_values``         what each combo is worth in a situation
``models``              the formula, and the models that predict a player's actions
``predictors``          models whose contexts are not given but learnt: a tree, a network
``betting_chains``      whole hands as they were bet, and what actions are worth by how such hands went on
``bet_sizes``           how much a player raises in no-limit games, and folds to raises
``reweighting``         the thresholds that frequencies imply, and their triples
``hand_play``           what each position did in a finished hand
``statistics``          running statistics and playing style
``table_reader``        the weight tables of everybody in a hand, from public information
``learning``            what models learn from a finished hand, and how well they predicted it
``warm_up``             compiles or loads what models run, before a clock runs
======================  ===========================================================================

The numbers of every triple come from ``engine.kernels.opponents.triples``.
"""
