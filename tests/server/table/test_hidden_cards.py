"""No player is ever sent a card that they may not know, in any game, whatever is played."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rules import GameDefinition
from protocol.records import HandRecord
from tests.support.strategies import games
from tests.support.tables import (
    betting_state,
    hands_logged,
    lines_told,
    match_config,
    play_match,
    split_state,
    state_determined,
)

_CARD = re.compile(r"[2-9TJQKA][cdhs]")


@settings(max_examples=40)
@given(games(), st.integers(0, 2**32 - 1), st.booleans())
async def test_nobody_is_sent_anothers_hole_cards_before_the_rules_show_them(
    game: GameDefinition, seed: int, is_fixed: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "match.log"
        config = match_config(game, hands=4, seed=seed, log_path=path, fixed_seats=is_fixed)

        _, players = await play_match(config, [state_determined(game)] * game.num_players)

        records = {record.hand_number: record for record in hands_logged(config)}
    assert len(records) == 4
    for player in players:
        assert player.lines
        for line in player.lines:
            check_message(game, line, records[split_state(line)[1]])


async def test_what_is_sent_in_a_long_match_follows_from_its_log_alone(tmp_path: Path) -> None:
    config = match_config("short6", hands=60, seed=11, log_path=tmp_path / "match.log")

    _, players = await play_match(config, [state_determined(config.game)] * 6)

    assert [player.lines for player in players] == lines_told(config)


def check_message(game: GameDefinition, line: str, record: HandRecord) -> None:
    """A message holds its addressee's cards, the board so far, and of others what a showdown shows."""
    position, hand, betting, cards = split_state(line)
    assert hand == record.hand_number
    first, *board = record.cards.split("/")
    holes = first.split("|")
    letters = 2 * game.num_hole_cards
    opening = holes[-1][letters:]  # board cards of the first betting round, if the game has any
    may_know = [holes[position][:letters], opening, *board[: betting.count("/")]]
    end = betting_state(game, record.betting)
    if betting == record.betting and end.folded.count(False) > 1:
        may_know += [hole[:letters] for other, hole in enumerate(holes) if not end.folded[other]]

    assert {*_CARD.findall(cards)} <= {*_CARD.findall(" ".join(may_know))}
