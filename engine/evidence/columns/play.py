"""Play and winnings of many hands, counted together: `engine.evidence.play_statistics` in columns.

Chips are summed hand by hand in the order played, so that the sums are exactly those of hands counted one by
one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.evidence.columns.hands import HandColumns
from engine.evidence.play_statistics import KINDS, SOMETHING, PlayTable
from engine.kernels.evidence.walked import CALLS, CHECKS, RAISES
from engine.players.hand_play import Ending
from engine.support.arrays import Bools, Floats, Ints
from engine.support.intervals import Winnings

_FOLDED, _UNCONTESTED, _SHOWDOWN, _ALL_IN = range(len(Ending))
"""The places of all endings, in the order of `Ending`."""


def contested_pots(hands: HandColumns) -> Ints:
    """The pots that were played for, without bets that nobody called.  Shape (hands,)."""
    by_size = np.sort(hands.walked.spent, axis=1)
    pots = hands.walked.spent.sum(axis=1) + sum(hands.game.antes_posted)
    return pots - (by_size[:, -1] - by_size[:, -2])


def totals_by_deal(deals: Ints, players: Ints, chips: Floats, num_players: int) -> Floats:
    """What each player won in each deal, in all passes together.  Shape (deals, players).

    Args:
        deals: the deal of each hand, from 0 without gaps.  Shape (hands,).
        players: who sat where, shape (hands, positions).
        chips: what they won, of the same shape.
        num_players: the number of players in the match.
    """
    keys = deals[:, None] * num_players + players
    size = (int(deals.max()) + 1) * num_players
    found = np.bincount(keys.ravel(), chips.ravel(), size)
    return found.reshape(-1, num_players).astype(np.float64)


def payments(players: Ints, chips: Floats, num_players: int) -> Floats:
    """What each player paid to each other: losses go to the winners of a hand by what they won.

    Shape (players, players).

    Args:
        players: who sat where, shape (hands, positions).
        chips: what they won, of the same shape.
        num_players: the number of players in the match.
    """
    won, lost = np.maximum(chips, 0.0), np.maximum(-chips, 0.0)
    share = won / np.maximum(won.sum(axis=1, keepdims=True), 1e-9)
    paid = lost[:, :, None] * share[:, None, :]
    keys = players[:, :, None] * num_players + players[:, None, :]
    found = np.bincount(keys.ravel(), paid.ravel(), num_players**2).reshape(num_players, -1)
    return found.astype(np.float64)


def added(won: Sequence[Winnings], keys: Ints, chips: Floats) -> list[Winnings]:
    """Winnings with those of more hands.

    Args:
        won: the winnings so far.
        keys: which of them the winnings of each hand belong to, shape (n,).
        chips: the winnings of the hands, in the order in which to add them.  Shape (n,).
    """
    size = len(won)
    keys = np.concatenate([np.arange(size), keys])
    hands = np.bincount(keys, minlength=size).tolist()
    totals = np.bincount(keys, np.concatenate([[each.chips for each in won], chips])).tolist()
    squares = np.bincount(keys, np.concatenate([[each.squares for each in won], chips * chips])).tolist()
    return [
        Winnings(before.hands + number - 1, total, square)
        for before, number, total, square in zip(won, hands, totals, squares, strict=True)
    ]


def add_to_table(table: PlayTable, hands: HandColumns, players: Ints, chips: Floats) -> None:
    """Count hands.

    Args:
        table: the table to update.
        hands: the hands, in the order in which to count them.
        players: the player's number by position.  Shape (hands, positions).
        chips: what they won, by position.  Shape (hands, positions).
    """
    game, walked = hands.game, hands.walked
    positions = np.arange(game.num_players)
    has_folded = walked.fold_round >= 0
    last_round = np.where(has_folded, walked.fold_round, walked.last_round[:, None])
    is_showdown = hands.is_showdown[:, None] & ~has_folded
    at_showdown = np.where(walked.final_round > walked.last_round, _ALL_IN, _SHOWDOWN)
    kept = np.where(hands.is_showdown, at_showdown, _UNCONTESTED)
    ending = np.where(has_folded, _FOLDED, kept[:, None])
    _count(table, hands, players, is_showdown, _got_chips(hands, chips) & is_showdown)
    acted = walked.actions[:, [RAISES, CALLS, CHECKS]].sum(axis=3) > 0
    decision = np.where(acted.any(axis=1), acted.argmax(axis=1), acted.shape[1])
    by_position = np.broadcast_to(positions, players.shape)
    for kind, keys in zip(KINDS, (by_position, last_round, ending, decision), strict=True):
        won = table.won[kind]
        number = len(won) // len(table.players)
        table.won[kind] = added(won, (players * number + keys).ravel(), chips.ravel())


def _got_chips(hands: HandColumns, chips: Floats) -> Bools:
    """A mask of those who got back more than an uncalled bet.  Shape (hands, positions)."""
    spent = hands.walked.spent
    by_size = np.sort(spent, axis=1)
    others = np.where(spent == by_size[:, -1:], by_size[:, -2:-1], by_size[:, -1:])
    uncalled = np.maximum(0, spent - others)
    put_in = np.array(hands.game.antes_posted) + spent
    return (chips + put_in) - uncalled > SOMETHING


def _count(table: PlayTable, hands: HandColumns, players: Ints, showdowns: Bools, won: Bools) -> None:
    """Count what was done."""
    game, walked = hands.game, hands.walked
    positions, rounds = np.arange(game.num_players), game.num_rounds
    width = table.game.num_players  # a hand may have fewer players than the game
    keys = players * width + positions
    size = len(table.players) * width

    def of(flags: Bools) -> list[int]:
        return np.bincount(keys[flags], minlength=size).tolist()

    def in_set(bits: Ints) -> Bools:
        return (bits[:, None] >> positions & 1).astype(np.bool_)

    has_flop = (walked.final_round > 0)[:, None] & (walked.fold_round != 0)
    counted = {
        "hands": of(np.full(players.shape, True)),
        "decided": of(in_set(walked.decided)),
        "entered": of(walked.actions[:, RAISES, :, 0] + walked.actions[:, CALLS, :, 0] > 0),
        "raised": of(walked.actions[:, RAISES, :, 0] > 0),
        "could_three_bet": of(in_set(walked.could_three_bet)),
        "three_bets": of(in_set(walked.three_bet)),
        "flops": of(has_flop | (rounds == 1)),
        "showdowns": of(showdowns),
        "showdowns_won": of(won),
    }
    by_round = {
        name: np.stack(
            [np.bincount(keys.ravel(), counts[:, :, each].ravel(), size) for each in range(rounds)], axis=-1
        )
        for name, counts in (
            ("bets_and_raises", walked.actions[:, RAISES]),
            ("calls", walked.actions[:, CALLS]),
            ("checks", walked.actions[:, CHECKS]),
            ("folds", walked.fold_round[:, :, None] == np.arange(rounds)),
        )
    }
    by_position = [counts for of_player in table.players for counts in of_player]
    for key, counts in enumerate(by_position):
        for name, numbers in counted.items():
            setattr(counts, name, getattr(counts, name) + numbers[key])
        for name, found in by_round.items():
            before = getattr(counts, name)
            setattr(counts, name, [a + int(b) for a, b in zip(before, found[key].tolist(), strict=True)])
