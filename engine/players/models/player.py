"""The player model: curves of folds and raises over the hands, linear in named features, with a learnt prior.

Everybody begins as the prior: the mean and the covariance of theta over a wide population of styles.  The
covariance says what goes with what: that one who folds more on the turn folds more on the river, and how soon
a habit is believed.  Each decision moves theta and makes it surer (``engine.kernels.players.player``); a hand
that was shown is a range of one, so that it teaches with what hands, and another how often.

The prior ships as ``engine/data/players/prior.json`` and is made by ``riverboat experiment player-prior``.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping, Sequence
from importlib import resources
from typing import Any, Final

import attrs
import numpy as np

from engine.kernels.players import player as kernels
from engine.kernels.players.player import (
    FEATURES,
    LAPSE as LAPSE,
    NUM_PHI,
    Answer,
    Curve,
    Hands,
    Phi,
    Player as Player,
    Psi,
)
from engine.players.action_context import situation_of
from engine.players.models.formula import Traits, thresholds, traits_array
from engine.players.models.model import Decision, OpponentModel
from engine.players.models.saved import saved_numbers
from engine.poker.combos import NUM_COMBOS
from engine.poker.records import PublicSituation
from engine.poker.rules import load_game, parse_betting
from engine.poker.rules.game_definition import MAX_PLAYERS
from engine.support.arrays import Floats, read_only
from engine.support.files.archive import Archive, decode_archive

PRIOR_KIND: Final = "riverboat player prior"
PRIOR_SCHEMA: Final = 1
_DIGITS: Final = 6
"""Significant digits of numbers in files."""
_LAYOUTS: Final = tuple(np.array(pairs, np.int64) for pairs in FEATURES)


def names_of(pairs: Sequence[tuple[Phi, Psi]]) -> list[str]:
    """The names of features: of the situation, and of the hand where it has a part."""
    words = [(phi.name.lower().replace("_", " "), psi.name.lower()) for phi, psi in pairs]
    return [phi if psi == "one" else f"{psi} x {phi}" for phi, psi in words]


FEATURE_NAMES: Final = tuple(names_of(pairs) for pairs in FEATURES)
"""Of folds and of raises, in the order of `FEATURES`."""


def curve_of(which: int, mean: Floats, covariance: Floats) -> Curve:
    """The curve of folds, 0, or raises, 1."""
    return Curve(_LAYOUTS[which], mean, covariance)


def curve_as_dict(curve: Curve) -> dict[str, Any]:
    """The numbers of a file: the mean, and the lower triangle of the covariance row by row."""
    lower = curve.covariance[np.tril_indices(len(curve.mean))]
    return {"mean": _rounded(curve.mean), "covariance": _rounded(lower)}


def _rounded(numbers: Floats) -> list[float]:
    return [float(f"{number:.{_DIGITS}g}") for number in numbers]


def curve_from_dict(which: int, data: Mapping[str, Any]) -> Curve:
    """The curve that `curve_as_dict` was called on.

    Raises:
        ValueError: something is missing, no number, of another shape, or no covariance.
    """
    size = len(_LAYOUTS[which])
    mean = saved_numbers(data, "mean", (size,), -np.inf)
    lower = saved_numbers(data, "covariance", (size * (size + 1) // 2,), -np.inf)
    covariance = np.zeros((size, size))
    covariance[np.tril_indices(size)] = lower
    covariance += np.tril(covariance, -1).T
    if np.linalg.eigvalsh(covariance)[0] < -1e-3:
        raise ValueError("model: covariance is none: it is not positive")
    return curve_of(which, mean, covariance)


def features_of(situation: PublicSituation, psi: Floats) -> tuple[Floats, Floats]:
    """The features of folds and of raises in a situation with a hand, or a mean hand.

    Args:
        situation: the public state.
        psi: of the hand, by `Psi`.
    """
    phi = np.empty(NUM_PHI)
    kernels.fill_phi(situation, phi)
    folds, raises = (phi[layout[:, 0]] * psi[layout[:, 1]] for layout in _LAYOUTS)
    return folds, raises


def psi_of(situation: PublicSituation, hands: Hands, weights: Floats) -> Floats:
    """The mean of each `Psi` over a range, shape (NUM_PSI,)."""
    share, to_call = hands.share - 0.5, situation.to_call
    price = to_call / (situation.pot + to_call)
    rows = np.ones_like(share), share, hands.value - 0.5, 4.0 * share**2, hands.showdown - price
    return np.average(rows, axis=1, weights=weights)


# --- the prior -------------------------------------------------------------------------------------------


@attrs.frozen(eq=False)
class Prior:
    """The knowledge of a player before the first decision."""

    player: Player
    digest: str
    """Of the file it came from."""
    made_by: str
    """The command that makes it, and the population."""


def format_prior(player: Player, made_by: str) -> str:
    """A prior as an archive, a JSON text."""
    curves = {
        name: {"features": FEATURE_NAMES[which], **curve_as_dict(curve)}
        for which, (name, curve) in enumerate(player._asdict().items())
    }
    return Archive(PRIOR_KIND, PRIOR_SCHEMA, {"made_by": made_by, **curves}).encode().decode()


def parse_prior(text: str, source: str = "the prior of players") -> Prior:
    """The prior of a text made by `format_prior`.

    Raises:
        ArchiveError: not JSON, another kind or version, other features, or numbers that make no sense.
    """
    archive = decode_archive(text.encode(), PRIOR_KIND, PRIOR_SCHEMA, source)
    with archive.checked():
        curves = []
        for which, name in enumerate(Player._fields):
            if archive.meta[name]["features"] != FEATURE_NAMES[which]:
                raise ValueError(f"the features of {name} are others than those of this version")
            curves.append(curve_from_dict(which, archive.meta[name]))
        return Prior(Player(*curves), archive.digest[:16], str(archive.meta["made_by"]))


@functools.cache
def shipped_prior() -> Prior:
    """The prior that comes with Riverboat, read once; not to be changed."""
    return parse_prior(resources.files("engine").joinpath("data/players/prior.json").read_text("utf-8"))


# --- usual situations -----------------------------------------------------------------------------------

_PREFLOP: Final = {"opened": "", "raised": "r"}
"""At a table for as many as the player was met by: of ten players, the first fold."""
_LATER: Final = {
    "checked": ("limit-2p", "cc/cc/c"),
    "facing": ("limit-2p", "cc/cc/r"),
    "in company": ("limit-6p", "ffcccc/ccc"),
}
_HANDS: Final = 64


_LINE: Final = read_only((np.arange(_HANDS) + 0.5) / _HANDS)
_EVENLY: Final = Hands(_LINE, _LINE, _LINE)
"""Hands of all strengths, each against hands of all strengths."""
_EVEN: Final = np.ones(_HANDS)


@functools.cache
def _usual(num_players: int, is_limit: bool) -> Mapping[str, PublicSituation]:
    folds = "f" * (MAX_PLAYERS - num_players)
    bettings = {name: ("limit-10p", folds + text) for name, text in _PREFLOP.items()} | _LATER
    return {
        name: situation_of(parse_betting(load_game(game), text))._replace(is_limit=is_limit)
        for name, (game, text) in bettings.items()
    }


@functools.cache
def _reasonable_raises(num_players: int, is_limit: bool) -> float:
    """The formula's raises in the situations before the flop together."""
    usual = _usual(num_players, is_limit)
    return sum(1.0 - thresholds(usual[name], traits_array({})).raise_ for name in _PREFLOP)


# --- the model -------------------------------------------------------------------------------------------


class PlayerModel:
    """One player's curves.

    Args:
        prior: what is known of everybody; None for the one that ships.
    """

    def __init__(self, prior: Prior | None = None) -> None:
        self.prior = prior or shipped_prior()
        self.player = self.prior.player
        """Not to be changed."""
        self.decisions = 0
        """How many have been learnt from."""
        self.met_at = 2, True
        """The last table: how many play, and whether bets are limited."""
        self._token: Hashable = (PlayerModel, self.prior.digest)
        self._traits: Traits | None = None

    @property
    def state(self) -> Hashable:
        """A token that changes with everything that is learned."""
        return self._token

    def snapshot(self) -> PlayerModel:
        """A model of the same state that does not learn together with this one."""
        copied = PlayerModel(self.prior)
        copied.adopt(self)
        return copied

    def adopt(self, other: OpponentModel) -> None:
        """Know what another model of players knows.

        Raises:
            TypeError: it is of another kind.
        """
        if not isinstance(other, PlayerModel):
            raise TypeError(f"expected a PlayerModel, got {type(other).__name__}")
        self.prior, self.player, self.decisions = other.prior, other.player, other.decisions
        self._token, self._traits, self.met_at = other._token, other._traits, other.met_at

    def learn(self, decisions: Sequence[tuple[Decision, int]], combo: int | None = None) -> None:
        """Take a step for each decision of a hand; with the hand that was held, if it has been shown."""
        player = Player(
            *(
                curve._replace(mean=curve.mean.copy(), covariance=curve.covariance.copy())
                for curve in self.player
            )
        )
        for decision, action in decisions:
            situation, hands, weights = decision.situation, decision.values.hands, decision.weights
            if not (situation.can_fold or situation.can_raise):
                continue
            if combo is not None:
                hands = Hands(*(array[combo : combo + 1] for array in hands))
                weights = np.ones(1)
            kernels.observe(player, self.prior.player, situation, hands, weights, int(action))
            self.decisions += 1
            self.met_at = situation.num_players, bool(situation.is_limit)
        self.player, self._token, self._traits = player, object(), None

    @property
    def traits(self) -> Traits:
        """How the player plays, as far as the formula asks: his answers in a few usual situations."""
        if self._traits is None:
            usual, reasonable = _usual(*self.met_at), _reasonable_raises(*self.met_at)
            said = {name: self.answer(asked, _EVENLY, _EVEN) for name, asked in usual.items()}
            self._traits = Traits(
                fold_to_bet=said["facing"].fold,
                bet=said["checked"].raise_,
                raise_=said["facing"].raise_,
                preflop_fold=said["raised"].fold,
                preflop_raise=sum(said[name].raise_ for name in _PREFLOP) / reasonable,
                looseness=2.0 * (1.0 - said["raised"].fold),
                noise=(said["checked"].blind_raise, said["in company"].blind_raise),
            )
        return self._traits

    def triples(self, decision: Decision) -> Floats:
        """The probability triple of every combo, shape (1326, 3)."""
        triples = np.empty((NUM_COMBOS, 3))
        kernels.fill_player_triples(
            self.player, decision.situation, decision.values.hands, decision.weights, triples
        )
        return triples

    def answer(self, situation: PublicSituation, hands: Hands, weights: Floats) -> Answer:
        """The chances of the player's actions in a situation with a range of hands."""
        return kernels.answer(self.player, situation, hands, weights)

    # --- memory ------------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """The numbers of a memory file."""
        curves = {name: curve_as_dict(curve) for name, curve in self.player._asdict().items()}
        return {"prior": self.prior.digest, "decisions": self.decisions, **curves}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PlayerModel:
        """The model that `as_dict` was called on, on the prior of this version.

        Raises:
            ValueError: something is missing, no number, or of another shape.
        """
        model = cls()
        curves = [curve_from_dict(which, data[name]) for which, name in enumerate(Player._fields)]
        model.player, model._token = Player(*curves), object()
        model.decisions = int(saved_numbers(data, "decisions", ()))
        return model
