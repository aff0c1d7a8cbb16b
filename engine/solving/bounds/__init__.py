"""Bounds on what the best opponent would win, for games that are too large for an exact best response.

**On sampled flops**, for strategies of heads-up limit hold'em.  Given a flop and a turn card, the best
response is exact, over all rivers and all hands of both players.  Its decisions before the turn card and
before the flop are learnt on some of the turns and flops drawn, and valued on others (*cross-fitting*).  So
its value is that of a strategy that somebody could play, and on average at most the exploitability.  When
decisions are learnt and valued on the same cards, the value is on average at least the exploitability.

**Local best response**, for any player that discloses its chances: an opponent that looks one bet ahead plays
against it, and what this opponent wins is a lower bound.

==================  =========================================================================
``players``         strategies as they are asked: the chances of all hands, many bettings at once
``sample``          drawing flops and turns; boards that differ only in the names of suits
``river_round``     the betting round by round; a best response on the river, one board at a time
``values``          what a best response wins on a flop, by starting hand
``estimate``        all flops together: both bounds, with their errors
``local_response``  an opponent's range, and the value of each action against it
==================  =========================================================================

Source: M. Johanson, K. Waugh, M. Bowling, M. Zinkevich, *Accelerating Best Response Calculation in Large
Extensive Games* (2011), for the walk over public states; V. Lisý, M. Bowling, *Equilibrium Approximation
Quality of Current No-Limit Poker Bots* (2017), for local best response.
"""
