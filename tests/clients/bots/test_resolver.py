"""The bot that solves at the table: it keeps to the table's clock, and says when that has cut it short."""

from __future__ import annotations

import pytest

from clients.bots.resolver import Resolver
from clients.core.registry import make_bot
from engine.poker.cards import parse_written_cards
from engine.poker.rules import HandView, load_game, parse_betting

GAME = load_game("nolimit-2p-100bb")


@pytest.mark.parametrize(("seconds", "said"), [(None, None), (1e9, None), (1e-9, "iterations 0")])
def test_a_decision_ends_within_the_tables_time(seconds: float | None, said: str | None) -> None:
    bot = make_bot("resolver:iterations=12")
    assert isinstance(bot, Resolver)
    bot.prepare(GAME)
    bot.seconds_to_act = seconds
    own, board = parse_written_cards("AhKd"), parse_written_cards("2hAs2c3hQd")
    view = HandView(parse_betting(GAME, "r6c/cc/cc/"), 0, 7, (own, ()), board)

    action = bot.choose_action(view)

    assert action in view.legal_actions()
    assert bot.comment == said
    # What is disclosed is what was played, though there is time now: without any, the blueprint.
    triples, blueprint = bot.triples(view), bot.solver.blueprint.triples(view.betting, board)
    assert triples.sum(axis=1) == pytest.approx(1)
    assert (triples == blueprint).all() == (said is not None)
    assert {iterations for _, iterations in bot.solver.solved} == {12 if said is None else 0}
