"""Income rates of the 169 starting hands by roll-outs, plain and iterated.

**Plain roll-out.**  All players put in one bet and check to the showdown.  A hand's income rate is
``1000 * (players * share of the pot - 1)`` thousandths of a bet.  These are the numbers of the column IR-10
of Poki's Table 3.1 (`roll_out_income_rates`).

**Iterated roll-out.**  The rates of one generation decide which hands are played in the next: those whose
rate is positive after noise is added.  The noise cools from generation to generation
(`iterated_income_rates`).  The paper does not say what is in the pot, but it cannot be one bet each: aces
against hands worth one bet earn about 1600 thousandths, and the paper says 2920.  These readings were
compared with the last column of Table 3.1 (ten players, 27 hands):

==================================================  =====  =====  =========  =========  ==========
what is in the pot                                  rank   rms    AA         of the 27  others
                                                    corr.  diff.  (2920)     positive   positive
==================================================  =====  =====  =========  =========  ==========
one bet; the blinds (1/2 and 1) fold like others    .929   270    2031       27         55
one bet; big blind always in                        .939   405    1609       27         24
one bet; big blind always in, no small blind        .942   617    1044       26         1
two bets, no blinds                                 never settles: all but aces is given up
two bets; the blinds fold like others               .921   191    2954       27         25
**two bets; big blind always in**                   .945   100    2781       27         13
two bets; big blind always in, no small blind       .944   303    2095       26         1
three bets, no blinds                               never settles
three bets; the blinds fold like others             .895   280    3372       27         13
three bets; big blind always in                     .947   315    3805       27         9
three bets; big blind always in, no small blind     .944   155    3143       26         1
==================================================  =====  =====  =========  =========  ==========

(Spearman's rank correlation; root mean square of the differences, in thousandths; means of three runs with
500,000 deals per generation and 2 million in the last.  At the paper's own sizes the rank correlation of the
reading in bold varies between .940 and .946 from run to run, the difference between 99 and 106.)

The reading in bold is by far the closest in value and as good as the best in order.  It is the default
`RollOutScheme`: every player puts in two small bets by the showdown, the big blind stays in with any hand,
and a small blind that folds leaves half a bet.  The packaged table (2 million deals per generation, 20
million in the last) has a rank correlation of .948 and a difference of 100.  All 27 hands of the paper are
positive in it, and 12 more: A7s, A5s, A4s, A6s, 55, K9s, A3s, and five that earn less than 30.  Another
reading is closer in the *set* of hands: if the only money to win is that of a big blind that is always in,
26 of the 27 and hardly any other are worth playing, at any size of the bet.

The remaining difference is in part the paper's own: its values come from some 15,000 deals of each suited
hand (standard error 20 to 30), and they have steps that no roll-out explains (77 at 390 but 66 at 40; AKo at
850 with AKs at 860).

Rates are valued at seats that have posted nothing; with two players at the small blind, over folding.

Source: *Poki* section 3.2 and Table 3.1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import attrs
import numpy as np

from engine.hands.preflop.tables import MAX_PLAYERS, MIN_PLAYERS, PreflopTable, PreflopTables, check_players
from engine.kernels.hands import preflop as preflop_kernels, rollouts
from engine.kernels.poker.tables import ranking_table
from engine.poker.combos import NUM_STARTING_HANDS, STARTING_HAND_OF_COMBO
from engine.support.arrays import Bools, Floats, Ints


@attrs.frozen
class RollOutScheme:
    """The stakes of an iterated roll-out, in small bets."""

    stake: float = attrs.field(default=2.0, validator=attrs.validators.gt(0))
    """What each player puts in by the showdown."""
    small_blind: float = attrs.field(default=0.5, validator=attrs.validators.ge(0))
    """What the small blind loses when it folds."""
    big_blind: float = attrs.field(default=1.0, validator=attrs.validators.ge(0))
    """What the big blind loses when it folds."""
    big_blind_always_plays: bool = True
    """Whether the big blind stays in with any hand (and pays the stake)."""


DEFAULT_SCHEME: Final = RollOutScheme()
"""The scheme closest to Table 3.1."""

_GENERATIONS: Final = 10
_NOISE: Final = 500.0
"""The standard deviation of the noise that lets hands come back once they were given up, after the first
generation, in thousandths of a small bet."""
_COOLING: Final = 0.6
"""The factor of the noise from one generation to the next: 8 thousandths are left after the ninth; the tenth
is not disturbed."""


@attrs.frozen(eq=False)
class IncomeRates:
    """Income rates of the starting hands, in thousandths of a small bet each time the hand is played."""

    players: int
    rates: Floats
    """The income rates, shape (169,)."""
    standard_errors: Floats
    """The standard errors of the rates, shape (169,)."""
    times_dealt: Ints
    """How often each hand was valued, shape (169,)."""
    played: Bools
    """The hands that were played while these rates were found, shape (169,); all in a plain roll-out."""


def _roll_out(
    players: int, played: Bools, scheme: RollOutScheme, trials: int, rng: np.random.Generator, counted: range
) -> IncomeRates:
    if trials < 1:
        raise ValueError(f"{trials} trials: expected at least 1")
    blinds = np.zeros(players)
    blinds[0] = scheme.small_blind
    blinds[1] = scheme.big_blind
    sums = np.zeros((NUM_STARTING_HANDS, 3))
    rollouts.roll_out_starting_hands(
        ranking_table(),
        STARTING_HAND_OF_COMBO,
        int(rng.integers(1 << 62)),
        trials,
        rollouts.RollOut(
            plays=played,
            blinds=blinds,
            stake=float(scheme.stake),
            free_seat=1 if scheme.big_blind_always_plays else -1,
            first_counted=counted.start,
            end_counted=counted.stop,
        ),
        sums,
    )
    times = np.maximum(sums[:, 0], 1.0)
    means = sums[:, 1] / times
    deviations = np.sqrt(np.maximum(sums[:, 2] / times - means**2, 0.0))
    # Hands of one deal share its board; their correlation is neglected, since most are different hands.
    return IncomeRates(
        players, 1000 * means, 1000 * deviations / np.sqrt(times), sums[:, 0].astype(np.int64), played.copy()
    )


def roll_out_income_rates(players: int, trials: int, rng: np.random.Generator) -> IncomeRates:
    """Income rates if everybody calls one bet and checks to the showdown.

    Args:
        players: 2 to 10.
        trials: the number of deals; each values the hands of all players, so a suited hand is valued
            ``trials * players * 4 / 1326`` times on average.
        rng: its next number seeds the deals.

    Raises:
        ValueError: not 2 to 10 players, or no trials.

    Source: *Poki* section 3.2; the column IR-10 of Table 3.1 for ten players.
    """
    check_players(players)
    everything = np.ones(NUM_STARTING_HANDS, np.bool_)
    scheme = RollOutScheme(stake=1.0, small_blind=0.0, big_blind=0.0)
    return _roll_out(players, everything, scheme, trials, rng, range(players))


def iterated_income_rates(
    players: int,
    rng: np.random.Generator,
    *,
    trials: int = 50_000,
    final_trials: int = 500_000,
    scheme: RollOutScheme = DEFAULT_SCHEME,
) -> IncomeRates:
    """Income rates if the rates of the generation before decide which hands are played.

    The first generation plays all hands.  After the last one, the hands that are positive without noise are
    played for ``final_trials`` more deals, whose rates are returned.  Hands that are not played are valued as
    well, by what they would have earned in the deals in which they were folded.

    Args:
        players: 2 to 10.
        rng: seeds the deals and draws the noise.
        trials: the number of deals in each of the ten generations of the selection.
        final_trials: the number of deals after them.
        scheme: the stakes.

    Raises:
        ValueError: not 2 to 10 players, or no trials.

    Source: *Poki* section 3.2; the column "Iterated" of Table 3.1.
    """
    check_players(players)
    if players == 2 and not scheme.big_blind_always_plays:
        raise ValueError("with two players a big blind that may fold has values of its own: see preflop_game")
    counted = range(2, players) if players > 2 else range(1)
    played = np.ones(NUM_STARTING_HANDS, np.bool_)
    noise = _NOISE
    for generation in range(_GENERATIONS):
        rates = _roll_out(players, played, scheme, trials, rng, counted)
        disturbed = rates.rates + noise * rng.standard_normal(NUM_STARTING_HANDS)
        played = (disturbed if generation < _GENERATIONS - 1 else rates.rates) > 0
        noise *= _COOLING
    return _roll_out(players, played, scheme, final_trials, rng, counted)


def exact_raw_odds() -> Floats:
    """The raw odds of every starting hand against 1 to 9 opponents, over all boards; it takes some seconds.

    Returns:
        Shape (169, 9): the share of the pot, with the power taken on every board by itself.

    Source: *Hold'em Killer*, "Raw Hand Odds", section 5.
    """
    boards, weights = preflop_kernels.canonical_boards()
    odds = np.empty((NUM_STARTING_HANDS, MAX_PLAYERS - 1))
    preflop_kernels.raw_odds_of_starting_hands(ranking_table(), boards, weights, STARTING_HAND_OF_COMBO, odds)
    return odds


def make_tables(
    seed: int,
    *,
    roll_out_trials: int = 80_000_000,
    trials: int = 2_000_000,
    final_trials: int = 20_000_000,
    made_by: str = "",
    report: Callable[[str], object] | None = None,
) -> PreflopTables:
    """Make the packaged tables: income rates for 2 to 10 players and exact raw odds.

    Args:
        seed: seeds everything; the same seed makes the same tables.
        roll_out_trials: the number of deals of each plain roll-out.
        trials: the number of deals of each of the ten generations.
        final_trials: the number of deals after them.
        made_by: the command to be named in the file.
        report: called with a line about each finished step.

    Raises:
        ValueError: no trials.
    """
    tables = []
    for players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        rng = np.random.default_rng((seed, players))
        plain = roll_out_income_rates(players, roll_out_trials, rng)
        iterated = iterated_income_rates(players, rng, trials=trials, final_trials=final_trials)
        tables.append(
            PreflopTable(
                players, plain.rates, plain.standard_errors, iterated.rates, iterated.standard_errors
            )
        )
        if report is not None:
            report(f"{players} players: {int((iterated.rates > 0).sum())} hands are worth playing")
    odds = exact_raw_odds()
    if report is not None:
        report("raw odds: done")
    return PreflopTables(tuple(tables), odds, made_by)
