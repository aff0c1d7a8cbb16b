"""What the house takes: from which pots, from whom, and that everything that counts chips knows."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.core.arena import Arena
from clients.core.registry import make_bot
from engine.evidence.aivat.games import why_not
from engine.poker.cards import parse_cards
from engine.poker.rules import (
    Deal,
    GameDefinitionError,
    HandState,
    Rake,
    format_game,
    load_game,
    parse_betting,
    parse_game,
    rake_taken,
)
from tests.support.asserting import refuses
from tests.support.hands.evidence import all_in_chips

LIMIT = load_game("limit-3p")  # blinds 5 and 10, bets 10 and 20
BOARD = tuple(parse_cards("Ks9s4d2h7c"))
ACES, KINGS, NOTHING = (tuple(parse_cards(cards)) for cards in ("AhAd", "KhQc", "5c3c"))


def hand(betting: str, rake: str, *cards: tuple[int, ...], game: str = "limit-3p") -> HandState:
    return HandState(parse_betting(load_game(game).raked(rake), betting), 0, Deal(cards, BOARD))


def test_the_winner_pays_for_the_pot() -> None:
    final = hand("ccc/ccc/ccc/ccc", "10%", ACES, KINGS, NOTHING)

    assert rake_taken(final.betting) == pytest.approx(3.0)  # of a pot of 30
    assert final.chips_won() == pytest.approx((17.0, -10.0, -10.0))


def test_it_has_a_cap_in_small_bets() -> None:
    final = hand("ccc/ccc/rcc/rcc", "10%,0.5", ACES, KINGS, NOTHING)

    assert rake_taken(final.betting) == 5.0
    assert sum(final.chips_won()) == pytest.approx(-5.0)


def test_players_who_split_the_pot_share_the_rake() -> None:
    final = hand("fcc/cc/cc/cc", "5%", ACES, tuple(parse_cards("AcAs")), NOTHING)

    assert final.chips_won()[0] == final.chips_won()[1]
    assert sum(final.chips_won()) == pytest.approx(-0.05 * final.betting.pot)


def test_without_a_flop_nothing_is_taken() -> None:
    assert rake_taken(hand("rff", "10%", ACES, KINGS, NOTHING).betting) == 0.0
    assert sum(hand("rff", "10%", ACES, KINGS, NOTHING).chips_won()) == 0.0


def test_a_bet_that_nobody_called_is_not_raked() -> None:
    final = hand("ccc/rff", "10%", ACES, KINGS, NOTHING)

    assert rake_taken(final.betting) == pytest.approx(3.0)
    assert sum(final.chips_won()) == pytest.approx(-3.0)


@pytest.mark.parametrize("game", ["limit-6p", "nolimit-6p", "nolimit-6p-ante", "leduc", "kuhn-3p"])
def test_in_any_game_the_house_takes_what_the_players_lack_and_winners_never_lose(game: str) -> None:
    plain = load_game(game)
    raked = plain.raked("7%,2")
    n, paid = plain.num_players, []
    ends: list[tuple[HandState, tuple[float, ...]]] = []
    bots = [make_bot("random:raise=0.4") for _ in range(n)]
    Arena(raked, bots, 3).play(200, on_hand=lambda end, chips: ends.append((end, chips)))

    for end, chips in ends:
        before = HandState(parse_betting(plain, end.betting.text), 0, end.deal).chips_won()
        taken = rake_taken(end.betting)
        paid.append(taken)
        assert sum(chips) == pytest.approx(-taken)
        assert taken <= 2 * (plain.small_bet or plain.big_blind) + 1e-9
        assert all(less <= more + 1e-9 for less, more in zip(chips, before, strict=True))
        losers = [position for position in range(n) if before[position] <= 0 and end.betting.folded[position]]
        assert all(chips[position] == before[position] for position in losers)
    assert max(paid) > 0


def test_all_in_equity_is_after_the_rake() -> None:
    """The mean over what may come, each run-out raked."""
    game = attrs.evolve(load_game("nolimit-2p"), stacks=(1000, 1000)).raked("5%,1")
    betting = parse_betting(game, "cc/r1000c//")
    board = tuple(parse_cards("Ks9s4d"))
    deck = [c for c in range(52) if c not in (*board, *KINGS, *ACES)]
    ends = [
        HandState(betting, 0, Deal((ACES, KINGS), (*board, turn, river))).chips_won()
        for number, turn in enumerate(deck)
        for river in deck[:number]
    ]

    found = all_in_chips(HandState(betting, 0, Deal((ACES, KINGS), BOARD)))

    assert found[0] == pytest.approx(sum(end[0] for end in ends) / len(ends))
    assert sum(found) == pytest.approx(-100.0)


@given(st.floats(0.1, 100), st.one_of(st.none(), st.floats(0.1, 1e6)))
def test_a_game_file_keeps_it(percent: float, cap: float | None) -> None:
    rake = Rake(float(f"{percent:g}"), float("inf") if cap is None else float(f"{cap:g}"))
    game = attrs.evolve(LIMIT, rake=rake)

    text = format_game(game)

    assert parse_game(text) == game
    assert "blinds =" in text  # the ACPC's reader refuses it


@pytest.mark.parametrize("text", ["", "5", "x%", "0%", "101%", "5%,x", "5%,-1", "5%,0", "nan%", "5%,3,4"])
def test_what_is_not_a_rake_is_refused(text: str) -> None:
    if text == "5":
        assert LIMIT.raked(text) == LIMIT.raked("5%")  # the sign may be left out
        return
    refuses(ValueError, "expected a rake such as 5%", LIMIT.raked, text)


def test_a_game_file_with_another_rake_is_refused_by_line() -> None:
    text = format_game(LIMIT.raked("5%,3")).replace("rake = 5 %", "rake = a lot")
    refuses(GameDefinitionError, r":\d+: rake: expected a rake such as", parse_game, text)


def test_aivat_does_without_such_games() -> None:
    assert why_not(LIMIT.raked("5%")) == "it is for games without a rake"
