"""No player is ever sent a card that they may not know, in any game, whatever is played."""

from __future__ import annotations

import contextlib
import re
import tempfile
import zlib
from pathlib import Path

import pytest
import trio
import trio.lowlevel
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.poker.rules import GameDefinition
from protocol.records import HandRecord
from server.support.errors import FailureKind
from server.table.config import TimeLimits
from tests.support.hands.strategies import games
from tests.support.tables import (
    Table,
    betting_state,
    folding_config,
    hands_logged,
    lines_told,
    match_config,
    play_match,
    split_state,
    state_determined,
    table_of,
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


@pytest.mark.parametrize(
    ("game", "hands", "grace"),
    [("holdem.limit.3p", 250, 0.0), ("leduc", 400, 0.0), ("short6", 120, 0.0), ("kuhn.limit.3p", 400, 60.0)],
)
async def test_nobody_who_leaves_and_comes_back_is_shown_what_they_may_not_know(
    game: str, hands: int, grace: float, tmp_path: Path
) -> None:
    """They come back at any moment: between two hands too, when positions are about to change."""
    limits = TimeLimits(response=10.0, hand=3600.0, per_hand=3600.0, grace=grace)
    config = folding_config(game, hands, seed=5, limits=limits, log_path=tmp_path / "match.log")
    seen: list[tuple[int, str]] = []  # by whom, and what
    decide = state_determined(config.game)

    async def come_and_go(table: Table, seat: int) -> None:
        stay = 0
        while not table.is_over:
            try:
                player = await table.join(seat)
            except (OSError, trio.BrokenResourceError):
                await trio.lowlevel.checkpoint()  # its port is not open again yet
                continue
            stay += 1
            with contextlib.suppress(trio.BrokenResourceError):
                for _ in range(1 + zlib.crc32(b"%d %d" % (seat, stay)) % 12):
                    line = await player.line()
                    if line is None:
                        break
                    if action := decide(line):
                        await player.say(f"{line}:{action}")
            seen.extend((seat, line) for line in player.lines)
            await player.leave()

    async with table_of(config) as table:
        num_seats = config.game.num_players
        honest = await table.join(0)
        table.start_soon(honest.play, decide)
        for seat in range(1, num_seats):
            table.start_soon(come_and_go, table, seat)
        outcome = await table.outcome()
        await honest.closed.wait()

    assert (outcome.error, outcome.hands) == (None, hands)
    assert {kind for seat in range(1, num_seats) for kind in table.failures(seat)} == {
        FailureKind.DISCONNECTED
    }
    assert not grace or all(seat.hands_by_default == 0 for seat in outcome.seats)
    records = {record.hand_number: record for record in hands_logged(config)}
    assert honest.lines == lines_told(config)[0]
    assert len(seen) > 300
    for seat, line in seen:
        position, hand, _, _ = split_state(line)
        assert position == (seat - hand) % num_seats, line
        check_message(config.game, line, records[hand])


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
