"""Hypothesis strategies for games, hands, views and the ways bytes can arrive."""

import random
from collections.abc import Sequence

from hypothesis import strategies as st

from engine.poker import rules
from engine.poker.rules.game_definition import UNLIMITED_STACK

MAX_CARDS_ON_BOARD = 7


@st.composite
def games(draw: st.DrawFn, *, limit: bool | None = None, conserving: bool = False) -> rules.GameDefinition:
    """Any game that can be played: 2 to 10 players, short decks, odd blinds and stacks.

    Its shape is drawn item by item, so that failures shrink to few players and rounds; the numbers in it
    come from one generator, which is several times faster.

    Args:
        limit: only limit or only no-limit games.
        conserving: leave out limit games with stacks, in which chips can be forfeited
            (docs/acpc-dealer.md 8.9).
    """
    is_limit = draw(st.booleans()) if limit is None else limit
    players = draw(st.integers(2, 10))
    rounds = draw(st.integers(1, 4))
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    suits, ranks = (4, 13) if rng.random() < 0.4 else (rng.randint(1, 4), rng.randint(2, 13))
    most_hole = min(3, suits * ranks // players)
    if not most_hole:
        suits, ranks, most_hole = 4, 13, 3
    hole = rng.randint(1, most_hole)
    left = min(MAX_CARDS_ON_BOARD, suits * ranks - players * hole)
    board = []
    for _ in range(rounds):
        board.append(rng.randint(0, min(left, 3)))
        left -= board[-1]
    if is_limit and (conserving or rng.random() < 0.3):
        stacks = [UNLIMITED_STACK] * players
    else:
        most = rng.choice((30, 100, 2000))
        stacks = [rng.randint(1, rng.choice((30, most))) for _ in range(players)]
    most_blind = rng.choice((0, 2, 10, 40))
    return rules.GameDefinition(
        is_limit=is_limit,
        num_players=players,
        num_rounds=rounds,
        blinds=tuple(min(rng.randint(0, most_blind), stack) for stack in stacks),
        raise_sizes=tuple(rng.randint(0, 60) for _ in range(rounds)) if is_limit else (),
        num_suits=suits,
        num_ranks=ranks,
        num_hole_cards=hole,
        num_board_cards=tuple(board),
        stacks=tuple(stacks),
        first_positions=tuple(rng.randrange(players) for _ in range(rounds)),
        max_raises=tuple(rng.choice((0, 1, 2, 3, 5, 255)) for _ in range(rounds)),
    )


def _pairs(data: bytes) -> list[int]:
    """The 16-bit numbers in some bytes."""
    return [high << 8 | low for high, low in zip(data[::2], data[1::2], strict=False)]


choices = st.binary(max_size=120).map(_pairs)
"""The choices made in a hand, to be read by `choose`; all later ones are calls."""


def choose(choice: int, legal: rules.LegalActions) -> rules.Action:
    """The legal action that a number stands for: 0 is a call; other numbers spread over all legal actions."""
    kind, size = choice % 4, choice // 4
    if kind == 1 and legal.can_fold:
        return rules.FOLD
    if kind in (2, 3) and legal.min_raise_to is not None and legal.max_raise_to is not None:
        span = legal.max_raise_to - legal.min_raise_to + 1
        # Small raises are likelier than large ones, or every hand ends all-in at once.
        return legal.raising_to(legal.min_raise_to + (size % span if kind == 3 else size % min(span, 3)))
    return rules.CALL


def play(
    game: rules.GameDefinition, seed: int, choices_made: Sequence[int], hand_number: int = 0
) -> list[rules.HandState]:
    """All states of one hand; the last one is finished."""
    dealer = rules.CardDealer(game, seed)
    state = rules.initial_hand(game, hand_number, dealer.deal())
    states = [state]
    for choice in [*choices_made, *[0] * 1000]:
        if state.is_finished:
            return states
        state = state.apply(choose(choice, state.legal_actions()))
        states.append(state)
    raise AssertionError(f"{game} is endless after {state.betting.text!r}")


@st.composite
def hands(
    draw: st.DrawFn, *, game: rules.GameDefinition | None = None, conserving: bool = False
) -> list[rules.HandState]:
    """All states of a random hand of a random game; the last one is finished."""
    chosen = game or draw(games(conserving=conserving))
    return play(
        chosen,
        draw(st.integers(0, 2**32 - 1)),
        draw(choices),
        draw(st.one_of(st.integers(0, 3), st.integers(0, 2**32 - 1))),
    )


@st.composite
def views(draw: st.DrawFn) -> rules.HandView:
    """One position's view somewhere in a random hand."""
    states = draw(hands())
    state = states[draw(st.integers(0, len(states) - 1))]
    return state.view(draw(st.integers(0, state.betting.game.num_players - 1)))


def chop(data: bytes, cuts: Sequence[int]) -> list[bytes]:
    """`data` cut into pieces at some places; no piece is empty."""
    ends = sorted({cut for cut in cuts if 0 < cut < len(data)} | {len(data)})
    return [data[start:end] for start, end in zip([0, *ends], ends, strict=False) if start < end]


@st.composite
def chunkings(draw: st.DrawFn, data: bytes) -> list[bytes]:
    """`data` in the chunks in which it may arrive: whole, byte by byte, or in random pieces."""
    how = draw(st.integers(0, 3))
    if how == 0:
        return chop(data, [])
    if how == 1:
        return chop(data, range(len(data)))
    return chop(data, draw(st.lists(st.integers(1, max(len(data) - 1, 1)), max_size=30)))


def random_hand(
    game: rules.GameDefinition, hand_number: int, dealer: rules.CardDealer, rng: random.Random
) -> rules.HandState:
    """The final state of one hand of random play, driven through the hand loop."""
    hand = rules.play_hand(game, hand_number, dealer.deal())
    try:
        state = next(hand)
        while True:
            state = hand.send(choose(rng.randrange(2**16), state.legal_actions()))
    except StopIteration as end:
        result: rules.HandState = end.value
        return result
