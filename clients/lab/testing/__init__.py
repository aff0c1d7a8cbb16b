"""Tests of a bot: what to play it in, which players to seat beside it, and what it does wrong.

`check_agent` plays any agent through random, scripted and extreme hands of a game.  Here is one that forgets
that to check costs nothing, and what the report makes of it:

>>> from clients import CALL, FOLD, Agent, raise_to
>>> from clients.lab.testing import check_agent
>>> from engine.poker.cards import parse_card, rank_of
>>> class Tight(Agent):
...     def choose_action(self, view):
...         highest = max(rank_of(card) for card in view.own_cards)
...         return CALL if highest >= rank_of(parse_card("Th")) else FOLD
>>> report = check_agent(Tight, "nolimit-2p", hands=10)
>>> report.is_right
False
>>> print(report.faults[0])
illegal action, 84 times, first: folds where there is nothing to call
    in choose_action, against random players, seat 0, hand 2
    state  MATCHSTATE:0:2:c:8s5h|
    legal  c, r200 to r20000

In a test, ``check_agent(Tight, "nolimit-2p").raise_if_wrong()`` fails with the whole report.  A bot can be
named as on the command line (``"formula:model=none"``), and given as a class, as a function that makes one
(``functools.partial(MyBot, boldness=0.3)``) or as an agent, of which copies are played.

What an agent does in one particular hand, with cards that were laid and an opponent who follows a script, is
seen in an `Arena`:

>>> from clients.core.arena import Arena
>>> from clients.lab.testing import Recorder, Scripted, stacked_deal
>>> from engine.poker.rules import StackedDealer, load_game
>>> game = load_game("nolimit-2p")
>>> laid = stacked_deal(game, {0: "Ts2d", 1: "AhAc"}, board="AdAsKhQd3c")
>>> tight, opponent = Recorder(Tight()), Scripted([raise_to(300), raise_to(900)])
>>> Arena(game, [tight, opponent], seed=7, dealer=StackedDealer([laid])).play(1)
(-900.0, 900.0)
>>> [str(action) for view, action in tight.decisions]
['c', 'c', 'c', 'c', 'c']

`play_over_wire` plays the same hands over the real protocol, in memory; `deal_over_wire` is its dealer, for
clients that are no agents.  pytest finds the fixtures `check_agent`, `arena`, `scripted`, `recorder` and
`riverboat_game` by itself.
"""

from clients.lab.testing.agents import Deciding, Recorder, Replaying, Scripted, ScriptError, StandIn
from clients.lab.testing.check import check_agent, check_agent_async
from clients.lab.testing.report import AgentReport, Fault, FaultKind, FaultyAgentError
from clients.lab.testing.situation import Situation, situations, tied_deals
from clients.lab.testing.wire import PlayedMatch, PlayerLeft, deal_over_wire, play_over_wire
from engine.poker.situations import stacked_deal

__all__ = [
    "AgentReport", "Deciding", "Fault", "FaultKind", "FaultyAgentError", "PlayedMatch", "PlayerLeft",
    "Recorder", "Replaying", "ScriptError", "Scripted", "Situation", "StandIn", "check_agent",
    "check_agent_async", "deal_over_wire", "play_over_wire", "situations", "stacked_deal", "tied_deals",
]  # fmt: skip
