"""Matches of the ACPC dealer, rebuilt byte for byte from game, seed and betting alone."""

from __future__ import annotations

from itertools import islice

import pytest

from engine.poker.rules import CALL, initial_hand, parse_betting
from protocol.match_state import format_hole_cards_and_board
from protocol.records import format_hand, format_score, parse_hand
from tests.support.asserting import known
from tests.support.hands.golden_files import (
    LOGS,
    deals_from,
    golden_game,
    golden_lines,
    golden_log,
    play_actions,
    rebuilt_log,
)


def test_all_golden_logs_are_there() -> None:
    assert len(LOGS) == 26


@pytest.mark.parametrize("name", LOGS)
def test_log_follows_from_game_seed_and_betting(name: str) -> None:
    log = golden_log(name)
    assert len(log.records) == log.hands

    rebuilt = rebuilt_log(log)

    assert rebuilt == log.text


@pytest.mark.parametrize(("game_name", "seed", "line"), golden_lines("hands.txt"))
def test_logged_hand_follows_from_game_seed_and_betting(game_name: str, seed: str, line: str) -> None:
    game = golden_game(game_name)
    record = known(parse_hand(line))
    deal = next(islice(deals_from(game, int(seed)), record.hand_number, None))
    actions = [action for _, _, action in parse_betting(game, record.betting).steps()]

    asked, end = play_actions(game, record.hand_number, deal, actions)

    assert format_hand(end, end.chips_won(), record.names) == line + "\n"
    assert all(action in state.legal_actions() for state, action in zip(asked, actions, strict=True))


@pytest.mark.parametrize(("game_name", "seed", "rest"), golden_lines("deals.txt"))
def test_deal_follows_from_seed(game_name: str, seed: str, rest: str) -> None:
    game = golden_game(game_name)
    hand_number, cards = rest.split()

    deal = next(islice(deals_from(game, int(seed)), int(hand_number), None))

    dealt = format_hole_cards_and_board(deal.hole_cards, deal.board, game.board_ends, game.num_rounds - 1)
    assert dealt == cards


@pytest.mark.parametrize(("game_name", "seed", "line"), golden_lines("call_scores.txt"))
def test_score_of_a_thousand_called_hands(game_name: str, seed: str, line: str) -> None:
    game = golden_game(game_name)
    totals = [0.0] * game.num_players

    for hand_number, deal in enumerate(islice(deals_from(game, int(seed)), 1000)):
        state = initial_hand(game, hand_number, deal)
        while not state.is_finished:
            state = state.apply(CALL)
        for position, chips in enumerate(state.chips_won()):
            totals[(position + hand_number) % game.num_players] += chips

    assert format_score(totals, [f"p{seat}" for seat in range(game.num_players)]) == line + "\n"
