"""What the best opponent would win of a strategy in games that are too large for the exact best response.

**On sampled flops**, for strategies of heads-up limit hold'em.  On a flop and a turn card the best response
is exact, over all rivers and all hands of both players.  What it does before the turn card, and before the
flop, is learnt from some of the turns and flops drawn and valued on others (*cross-fitting*): so its value is
that of a strategy somebody could play, and on average no more than the exploitability.  Learnt and valued on
the same ones it is on average no less.

**Local best response**, for whoever says its chances: an opponent that looks one bet ahead and is played
against; what it wins is a lower bound.

==================  =========================================================================
``shapes``          the betting of a round, the same after whatever has gone before
``players``         what is asked of a strategy: the chances of all hands, many bettings at once
``sample``          flops and turns to draw; boards that differ in the names of suits alone
``river_round``     the river, on one board
``values``          what the best response wins on a flop, by starting hand
``estimate``        all flops together: both bounds, with their errors
``local_response``  what an opponent may hold, and what each action is worth against that
==================  =========================================================================

Source: M. Johanson, K. Waugh, M. Bowling, M. Zinkevich, *Accelerating Best Response Calculation in Large
Extensive Games* (2011), for the walk over public states; V. Lisý, M. Bowling, *Equilibrium Approximation
Quality of Current No-Limit Poker Bots* (2017), for local best response.
"""
