"""Betting chains: whole hands as they were bet, kept to see how hands like the present one went on.

A chain is the betting of a hand up to some action as a text, from one player's side, its opponents' names and
the exact sizes of bets left out; hands whose chains begin alike are similar.

* Heads-up it is the player's position and the letters of all actions.
* With more players the player's own actions are capitals, each betting round begins with the number of
  players in it, and the folds of others, which leave nothing behind but that number, are left out: no chain
  would ever come a second time otherwise.
* ``f``, ``c`` and, in limit games, ``r``; a no-limit raise is ``h``, ``p``, ``d`` or ``a``, whichever of half
  the pot, the pot, two pots and all-in it is nearest to by ratio.

**Everything counts from a decision on.**  Chips that are in the pot already belong to nobody, so that folding
is worth 0; a pot is all chips in the middle at the end of the hand, and bets are what the player puts in from
the decision on.  With C the stored chains that begin with the present one and an action, n of them, of which
n_s ended in a showdown, n_v with everybody else folding and n_h with the player folding ::

    EV(action) = n_s/n (p_w s_w - b_w) + n_v/n (s_v - b_v) - n_h/n b_h

The report prints its equation 5, and its ``calcEV``, without the chance n_s/n of a showdown: half showdowns
won once in four for a pot of 4 and bets of 2, half folds that gain 1, are worth 0, and -1/2 as printed.  Its
equations 2 and 3 multiply by the chance of their scenario, which equation 4 does again: once is enough.

Source: T. Saukonoja and T. A. Pasanen, *A Heuristic Based Approach for a Betting Strategy in Texas Hold'em
Poker* (report C-2008-41), sections 2 and 3.2.

==========  ==================================================================
``chains``  chains, and finished hands from one player's side
``values``  what an action is worth: the equations of the report
``store``   how hands went on, and what a player did after a chain
==========  ==================================================================
"""
