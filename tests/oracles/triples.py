"""A player's triple as the papers and the models' documentation say it: one hand at a time, from the history.

Nothing is kept up to date here: whatever is known of a player is counted anew from all that was seen, at
every question, and thresholds are found by halving an interval until nothing changes.

Source: Poki 3.4 (thresholds, mixing, bluffs, traps); Papp (1998) (implied thresholds); Killer, "from a
neutral model to a stereotype to a more accurate one".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import attrs

from engine.kernels.players.records import Push, Thresholds

# --- triples ------------------------------------------------------------------------------------------------

ACTIONS = ("fold", "call", "raise")
Chances = Mapping[str, float]
"""By action; they add up to one."""


def chances(numbers: Iterable[float]) -> Chances:
    """Three numbers, in the order of a probability triple."""
    return dict(zip(ACTIONS, numbers, strict=True))


def share_above(value: float, threshold: float, spread: float) -> float:
    """How often a hand of a value is played as if above a threshold, mixing in proportion around it."""
    lowest, highest = threshold - spread, threshold + spread
    if value <= lowest:
        return 0.0
    if value >= highest:
        return 1.0
    return (value - lowest) / (highest - lowest)


# --- the formula -----------------------------------------------------------------------------------------


@attrs.frozen
class Rule:
    """What is done with a hand of which value."""

    at: Thresholds
    push: Push

    def chances(self, value: float, showdown: float, draw: float, bluffs: float) -> Chances:
        """Fold below the call threshold unless the price is right, raise above the raise threshold; then trap
        with the best hands, semi-bluff with draws, bluff with the worst.  As far as it is known how often the
        opponent folds, raise instead where that brings more than the rest.
        """
        fold = 1 - max(
            share_above(value, self.at.call, self.at.call_spread),
            share_above(showdown, self.at.price, self.at.price_spread),
        )
        if not self.at.can_fold:
            fold = 0.0
        if not self.at.can_raise:
            return chances((fold, 1 - fold, 0.0))
        raising = self.at.raise_most + (1 - self.at.raise_most) * value
        raising *= share_above(value, self.at.raise_, self.at.raise_spread)
        raising -= raising * self.at.trap_chance * share_above(value, self.at.trap, self.at.raise_spread)
        fold = min(fold, 1 - raising)
        # A semi-bluff is made instead of a call first, and instead of a fold where that is not enough.
        raising += (1 - raising) * self.at.semi_bluff_chance * self._wants_semi_bluff(draw)
        raising = (1 - self.push.known) * raising + self.push.known * share_above(
            self._brought(showdown), 0.0, 0.1
        )
        fold = min(fold, 1 - raising)
        # A bluff is made instead of either.
        bluffing = (1 - raising) * (1 - self.push.known) * bluffs * self._weakness(value)
        raising += bluffing
        fold -= fold * bluffing
        return chances((fold, 1 - fold - raising, raising))

    def _brought(self, showdown: float) -> float:
        """What a raise brings beyond the better of a call and a fold, and of waiting, in bets."""
        beats = max(0.0, (showdown - self.push.shift) / (1 - self.push.shift))
        raised = self.push.folded + _beats_all(beats, self.push.callers) * self.push.won - self.push.lost
        if beats < self.push.patience:
            raised -= self.push.waiting * (self.push.patience - beats)
        return raised - max(
            0.0, _beats_all(showdown, self.push.stayers) * self.push.call_won - self.push.call_lost
        )

    def _wants_semi_bluff(self, draw: float) -> float:
        """Half of the time where the draw just pays, always from .05 more on."""
        return share_above(draw, self.at.semi_bluff, 0.05) if draw > self.at.semi_bluff else 0.0

    def _weakness(self, value: float) -> float:
        """All of the hands in the lower half of those that are very weak, none at their upper end."""
        return 1 - share_above(value, 0.75 * self.at.bluff_below, 0.25 * self.at.bluff_below)


def _beats_all(beats: float, opponents: float) -> float:
    """The chance of a hand against several alike: the odds against it, o : 1 for one, are n o : 1 for n."""
    return 1 / (1 + opponents * (1 / beats - 1)) if beats > 0 else 0.0


def blurred(sharp: Chances, blind: Chances, fold_noise: float, raise_noise: float) -> Chances:
    """What a player does who sometimes leaves all to dice, and sometimes one of folding and raising alone."""
    all_dice = min(fold_noise, raise_noise)
    one_die = max(fold_noise, raise_noise) - all_dice
    raised_by_dice = 0.0 if blind["fold"] == 1 else blind["raise"] / (1 - blind["fold"])
    folded_by_dice = 0.0 if blind["raise"] == 1 else blind["fold"] / (1 - blind["raise"])
    if raise_noise > fold_noise:
        left = 1 - sharp["fold"]
        die = {"fold": sharp["fold"], "raise": left * raised_by_dice, "call": left * (1 - raised_by_dice)}
    else:
        left = 1 - sharp["raise"]
        die = {"raise": sharp["raise"], "fold": left * folded_by_dice, "call": left * (1 - folded_by_dice)}
    parts = ((1 - all_dice - one_die, sharp), (one_die, die), (all_dice, blind))
    return {name: sum(share * each[name] for share, each in parts) for name in ACTIONS}


# --- frequencies -----------------------------------------------------------------------------------------


Place = tuple[int, int, int, float, int]
"""Where an action is counted: a group, a context, its details; and the logarithm of the pot odds."""


@attrs.frozen
class Seen:
    """A decision that was watched."""

    place: Place
    usual: Chances | None
    """The generic model's frequencies, if the hand was read; None: the action only counts."""
    can_fold: bool
    can_raise: bool
    action: str


LOANS = (4, 16, 300)
STEEPNESSES = (0, 1, 2, 3, 4)


@attrs.define
class CountedPlayer:
    """All that was seen of a player, in its order, and what follows from it."""

    history: list[Seen] = attrs.field(factory=list)
    known_before: dict[tuple[int, str, int], Any] = attrs.field(factory=dict)
    """What followed from the first actions of the history: their number, what was asked, of which place."""

    def expected(self, place: Place, usual: Chances, can_fold: bool, can_raise: bool) -> Chances:
        """The stereotype as far as the neutral model has not proved better, with folds as seen until now."""
        neutral, share = neutral_chances(can_fold, can_raise), self.neutral_share()
        mixed = {action: (1 - share) * usual[action] + share * neutral[action] for action in ACTIONS}
        mixed["fold"] *= self.ratio_of_folds(place)
        return legal(mixed, can_fold, can_raise)

    def ratio_of_folds(self, place: Place) -> float:
        """Folds seen over those expected, before the flop or after it, each beside four."""
        seen = foreseen = 4.0
        share = self.neutral_share()
        for one in self.history:
            if one.usual is not None and one.can_fold and (one.place[0] < 4) == (place[0] < 4):
                seen += one.action == "fold"
                foreseen += (1 - share) * one.usual["fold"]
                foreseen += share * neutral_chances(True, one.can_raise)["fold"]
        return seen / foreseen

    def by_counts(
        self, place: Place, usual: Chances, can_fold: bool, can_raise: bool, loan: float
    ) -> Chances:
        """12 actions of what is expected, all actions of the group; of that 10, and all of the context; of
        that as many as the loan is, and all of its details.
        """
        known = self.expected(place, usual, can_fold, can_raise)
        for level, borrowed in enumerate((12, 10, loan)):
            counted = [
                seen.action
                for seen in self.history
                if seen.place[level] == place[level] and seen.usual is None
            ]
            known = {a: (borrowed * known[a] + counted.count(a)) / (borrowed + len(counted)) for a in ACTIONS}
            if level > 0:
                known = legal(known, can_fold, can_raise)
        return known

    def by_correction(
        self, place: Place, usual: Chances, can_fold: bool, can_raise: bool, loan: float
    ) -> Chances:
        """What is expected here, times what was observed over what was expected, each beside 40 actions; then
        the same in the details, each beside four times the loan.
        """
        known, share = self.expected(place, usual, can_fold, can_raise), self.neutral_share()
        neutral = neutral_chances(can_fold, can_raise)
        ratios = {"fold": self.ratio_of_folds(place), "call": 1.0, "raise": 1.0}
        for level, borrowed in ((1, 40.0), (2, 4.0 * loan)):
            read = [s for s in self.history if s.place[level] == place[level] and s.usual is not None]
            foreseen = {
                action: ratios[action]
                * (
                    (1 - share) * sum(s.usual[action] for s in read if s.usual is not None)
                    + share * len(read) * neutral[action]
                )
                for action in ACTIONS
            }
            following = {}
            for action in ACTIONS:
                observed = sum(seen.action == action for seen in read)
                prior = borrowed * known[action]
                ratio = (observed + prior + 1e-9) / (foreseen[action] + prior + 1e-9)
                ratios[action] *= ratio
                following[action] = known[action] * ratio
            known = following
        return legal(known, can_fold, can_raise)

    def both(self, place: Place, usual: Chances, can_fold: bool, can_raise: bool) -> tuple[Chances, Chances]:
        """Both predictions, each loan with the weight that it has earned."""
        weights = [math.exp(evidence) for evidence in self.loan_evidence(place[0])]
        mixed = []
        for predict in (self.by_counts, self.by_correction):
            each = [predict(place, usual, can_fold, can_raise, loan) for loan in LOANS]
            mixed.append(
                {
                    a: math.fsum(w * one[a] for w, one in zip(weights, each, strict=True)) / sum(weights)
                    for a in ACTIONS
                }
            )
        return mixed[0], mixed[1]

    def frequencies(self, place: Place, usual: Chances, can_fold: bool, can_raise: bool) -> Chances:
        """What is predicted whoever is left, and with as many as are left, by how well each has done."""
        overall = self.overall(place, usual, can_fold, can_raise)
        company = self.in_company(place, overall)
        odds = math.exp(self.company_evidence())
        return {a: (overall[a] + odds * company[a]) / (1 + odds) for a in ACTIONS}

    def in_company(self, place: Place, overall: Chances) -> Chances:
        """Each action by how much more of it than was predicted came with as many opponents, beside four that
        were predicted, against how much more came with any number of them, in the same group.
        """
        read = [(before, s) for before, s in self._read() if s.place[0] == place[0]]
        here = {}
        for action in ACTIONS:
            pairs = [
                (
                    seen.place[4],
                    float(seen.action == action),
                    before.overall(seen.place, seen.usual, seen.can_fold, seen.can_raise)[action],
                )
                for before, seen in read
                if seen.usual is not None
            ]
            usually = (1 + sum(came for _, came, _ in pairs)) / (1 + sum(chance for _, _, chance in pairs))
            with_these = [(came, chance) for company, came, chance in pairs if company == place[4]]
            came = 4 * usually + sum(each for each, _ in with_these)
            here[action] = overall[action] * came / (4 + sum(chance for _, chance in with_these)) / usually
            if not any(chance for company, _, chance in pairs if company != place[4]):
                here[action] = overall[action]
        return {a: here[a] / sum(here.values()) for a in ACTIONS}

    def company_evidence(self) -> float:
        """Log odds that it matters how many are left."""
        return float(self._once("company", 0, lambda _: self._company_evidence()))

    def _company_evidence(self) -> float:
        evidence = -1.0
        for before, seen in self._read():
            if seen.usual is not None:
                overall = before.overall(seen.place, seen.usual, seen.can_fold, seen.can_raise)
                company = before.in_company(seen.place, overall)
                evidence += math.log(max(company[seen.action], 0.001))
                evidence -= math.log(max(overall[seen.action], 0.001))
                evidence = max(-8.0, min(8.0, evidence))
        return evidence

    def overall(self, place: Place, usual: Chances, can_fold: bool, can_raise: bool) -> Chances:
        """Both predictions by how well each has done in the group, then the offsets of the context; folds
        then fall with the pot odds as steeply as they have until now.
        """
        usual_price = self._at_usual_price(place, usual, can_fold, can_raise)
        evidence = self.steepness_evidence()
        chances_of = [math.exp(each) for each in evidence]
        mean = math.fsum(c * s for c, s in zip(chances_of, STEEPNESSES, strict=True)) / math.fsum(chances_of)
        fold = fold_at(usual_price["fold"], mean * self.odds_distance(place))
        left = 1 - usual_price["fold"]
        raising = (1 - fold) * usual_price["raise"] / left if left > 0 else 0.0
        return chances((fold, 1 - fold - raising, raising))

    def _at_usual_price(self, place: Place, usual: Chances, can_fold: bool, can_raise: bool) -> Chances:
        """The frequencies before the price is looked at."""
        counts, correction = self.both(place, usual, can_fold, can_raise)
        odds = math.exp(self.counts_evidence(place[0]))
        both = {a: (odds * counts[a] + correction[a]) / (odds + 1) for a in ACTIONS}
        offsets = self.offsets(place[1])
        return legal({a: both[a] * math.exp(offsets[a]) for a in ACTIONS}, can_fold, can_raise)

    def odds_distance(self, place: Place) -> float:
        """From the mean of the context, at most 1.2; as many decisions there as ten others of no distance."""
        met = [seen.place[3] for seen in self.history if self._is_answer(seen, place[1])]
        if not met:
            return 0.0
        distance = place[3] - math.fsum(met) / len(met)
        return len(met) / (len(met) + 10) * max(-1.2, min(1.2, distance))

    def _is_answer(self, seen: Seen, context: int) -> bool:
        return seen.place[1] == context and seen.usual is not None and seen.can_fold

    def steepness_evidence(self) -> list[float]:
        """Log odds of each steepness against the best."""
        found: list[float] = self._once("steepness", 0, lambda _: self._steepness_evidence())
        return found

    def _steepness_evidence(self) -> list[float]:
        evidence = [0.0, -2.0, -2.3, -2.8, -3.4]
        for before, seen in self._read():
            if seen.usual is not None and seen.can_fold:
                fold = before._at_usual_price(seen.place, seen.usual, True, seen.can_raise)["fold"]
                distance = before.odds_distance(seen.place)
                for number, steepness in enumerate(STEEPNESSES):
                    folds = fold_at(fold, steepness * distance)
                    evidence[number] += math.log(max(folds if seen.action == "fold" else 1 - folds, 0.001))
                evidence = [max(-8.0, each - max(evidence)) for each in evidence]
        return evidence

    def _once(self, what: str, place: int, work_out: Callable[[int], Any]) -> Any:
        key = len(self.history), what, place
        if key not in self.known_before:
            self.known_before[key] = work_out(place)
        return self.known_before[key]

    def loan_evidence(self, group: int) -> list[float]:
        """Log odds of each loan, in a group, against the best."""
        found: list[float] = self._once("loans", group, self._loan_evidence)
        return found

    def _loan_evidence(self, group: int) -> list[float]:
        evidence = [-3.0, -1.0, 0.0]
        for before, seen in self._read():
            if seen.place[0] == group and seen.usual is not None:
                odds = math.exp(before.counts_evidence(group))
                legality = seen.can_fold, seen.can_raise
                for number, loan in enumerate(LOANS):
                    counts = before.by_counts(seen.place, seen.usual, *legality, loan)[seen.action]
                    correction = before.by_correction(seen.place, seen.usual, *legality, loan)[seen.action]
                    chance = (odds * counts + correction) / (odds + 1)
                    evidence[number] = 0.998 * evidence[number] + math.log(max(chance, 0.001))
                evidence = [max(-8.0, each - max(evidence)) for each in evidence]
        return evidence

    def neutral_share(self) -> float:
        """How far the neutral model has predicted better than the stereotype."""
        evidence = -2.0
        for seen in self.history:
            if seen.usual is not None:
                neutral = neutral_chances(seen.can_fold, seen.can_raise)[seen.action]
                evidence += math.log(neutral) - math.log(max(seen.usual[seen.action], 0.001))
                evidence = max(-8.0, min(8.0, evidence))
        return 0.0 if evidence <= 0 else 1 - math.exp(-evidence)

    def counts_evidence(self, group: int) -> float:
        """Log odds that the counts, and not the corrections, predict the group."""
        return float(self._once("counts", group, self._counts_evidence))

    def _counts_evidence(self, group: int) -> float:
        evidence = 0.0
        for before, seen in self._read():
            if seen.place[0] == group and seen.usual is not None:
                counts, correction = before.both(seen.place, seen.usual, seen.can_fold, seen.can_raise)
                moved = math.log(max(counts[seen.action], 0.001))
                evidence = 0.998 * evidence + moved - math.log(max(correction[seen.action], 0.001))
                evidence = max(-8.0, min(8.0, evidence))
        return evidence

    def offsets(self, context: int) -> Chances:
        """.02 for each time that an action came, less .02 times how likely it was."""
        found: Chances = self._once("offsets", context, self._offsets)
        return found

    def _offsets(self, context: int) -> Chances:
        offsets = dict.fromkeys(ACTIONS, 0.0)
        for before, seen in self._read():
            if seen.place[1] == context and seen.usual is not None:
                predicted = before.frequencies(seen.place, seen.usual, seen.can_fold, seen.can_raise)
                for action in ACTIONS:
                    offsets[action] += 0.02 * ((seen.action == action) - predicted[action])
        return offsets

    def _read(self) -> Iterable[tuple[CountedPlayer, Seen]]:
        """The decisions that were read, each with what was known before it."""
        for number, seen in enumerate(self.history):
            if seen.usual is not None:
                yield CountedPlayer(self.history[:number], self.known_before), seen


def fold_at(fold: float, less: float) -> float:
    """A chance whose log odds are less by so much."""
    if not 0 < fold < 1:
        return fold
    return 1 / (1 + math.exp(less - math.log(fold / (1 - fold))))


def neutral_chances(can_fold: bool, can_raise: bool) -> Chances:
    """Whatever is legal, equally likely."""
    legal_actions = [*(["fold"] if can_fold else []), "call", *(["raise"] if can_raise else [])]
    return {action: (action in legal_actions) / len(legal_actions) for action in ACTIONS}


def legal(frequencies: Chances, can_fold: bool, can_raise: bool) -> Chances:
    """Scaled to one; what is not allowed becomes a call."""
    total = sum(frequencies.values())
    fold = frequencies["fold"] / total if can_fold else 0.0
    raising = frequencies["raise"] / total if can_raise else 0.0
    return chances((fold, 1 - fold - raising, raising))


# --- formula and frequencies together --------------------------------------------------------------------


def own_share(usual: Chances, frequencies: Chances) -> float:
    """How far a player's own thresholds decide instead of the formula.

    All the way from a total variation of .1 on, and as far as it takes until the formula's remainder folds,
    calls and raises no more than the player does; differences below .01 do not count, nor does a share.
    """
    less = {action: usual[action] - frequencies[action] for action in ACTIONS}
    shares = [min(1.0, sum(map(abs, less.values())) / 2 / 0.1)]
    shares += [less[action] / usual[action] for action in ACTIONS if less[action] > 0.01]
    return max(shares) if max(shares) > 0.01 else 0.0


def own_frequencies(
    usual: Chances, frequencies: Chances, share: float, can_fold: bool, can_raise: bool
) -> Chances:
    """What the share must do, so that it and the formula's rest have the player's frequencies together."""
    own = {a: max(0.0, (frequencies[a] - (1 - share) * usual[a]) / share) for a in ACTIONS}
    return legal(own, can_fold, can_raise)


def implied_thresholds(
    weights: Sequence[float],
    values: Sequence[float],
    call_values: Sequence[float],
    frequencies: Chances,
    spreads: Sequence[float],
    call_spreads: Sequence[float],
) -> tuple[float, float]:
    """The thresholds of calling and of raising that lead to frequencies, by halving an interval.

    Every hand is mixed over spreads of its own.
    """

    def raising(threshold: float) -> float:
        above = _shares_above(values, threshold, spreads)
        return math.fsum(w * share for w, share in zip(weights, above, strict=True)) / math.fsum(weights)

    raise_at = _where(raising, frequencies["raise"]) if frequencies["raise"] > 0 else math.inf
    raised = _shares_above(values, raise_at, spreads)

    def continuing(threshold: float) -> float:
        above = _shares_above(call_values, threshold, call_spreads)
        kept = [max(pair) for pair in zip(above, raised, strict=True)]
        return math.fsum(w * share for w, share in zip(weights, kept, strict=True)) / math.fsum(weights)

    call_at = _where(continuing, 1 - frequencies["fold"]) if frequencies["fold"] > 0 else -math.inf
    return call_at, raise_at


def _shares_above(values: Sequence[float], threshold: float, spreads: Sequence[float]) -> list[float]:
    return [share_above(value, threshold, spread) for value, spread in zip(values, spreads, strict=True)]


def _where(falling: Callable[[float], float], wanted: float) -> float:
    """Where a falling function of a threshold comes down to what is wanted."""
    low, high = -2.0, 3.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > wanted else (low, middle)
    return (low + high) / 2


def threshold_chances(
    value: float, call_value: float, call_at: float, raise_at: float, call_spread: float, raise_spread: float
) -> Chances:
    """Raise above the one threshold, do not fold above the other; a hand that raises does not fold."""
    raising = share_above(value, raise_at, raise_spread) if raise_at < math.inf else 0.0
    folding = 1 - share_above(call_value, call_at, call_spread) if call_at > -math.inf else 0.0
    folding = min(folding, 1 - raising)
    return chances((folding, 1 - folding - raising, raising))


# --- bars ---------------------------------------------------------------------------------------------------


@attrs.frozen
class Answer:
    """A decision whether to fold, or whether to raise."""

    chance: float
    """Of a fold or a raise, that was predicted without bars."""
    part: Sequence[float]
    """The part of the range below each bar where it is about folds, above it where about raises."""
    came: bool
    raises: bool = False
    """What it is about."""
    place: int = 0
    """The round, and how many bets are to call: where a bar is learnt."""
    context: int = 0


def by_bars(history: Sequence[Answer], asked: Answer) -> float:
    """The chance of a fold, or of a raise, in a decision.

    Args:
        history: the answers seen until now.
        asked: the decision; what came of it makes no difference.
    """
    offset = 0.0
    for number, seen in enumerate(history):
        if (seen.context, seen.raises) == (asked.context, asked.raises):
            predicted = _mixed(history[:number], seen)
            moved = predicted * math.exp(offset)
            offset += 0.02 * (seen.came - moved / (moved + 1 - predicted))
    mixed = _mixed(history, asked)
    return 1 / (1 + math.exp(-offset) * (1 - mixed) / mixed)


def _mixed(history: Sequence[Answer], asked: Answer) -> float:
    """Both predictions, by what they have earned in the place."""
    history = [seen for seen in history if (seen.place, seen.raises) == (asked.place, asked.raises)]
    usual, width = (0.75, 0.2) if asked.raises else (0.45, 0.25)
    odds = [-0.5 * ((math.sqrt(bar / 16) - usual) / width) ** 2 for bar in range(17)]
    for_bars = -1.0
    for seen in history:
        gained = _log(_by_bars(odds, seen), seen.came) - _log(seen.chance, seen.came)
        for_bars = max(-8.0, min(8.0, 0.998 * for_bars + gained))
        odds = [
            each + _log(0.9 * part + 0.1 * seen.chance, seen.came)
            for each, part in zip(odds, seen.part, strict=True)
        ]
    weight = len(history) / (len(history) + 10) / (1 + math.exp(-for_bars))
    return weight * _by_bars(odds, asked) + (1 - weight) * asked.chance


def _by_bars(odds: Sequence[float], asked: Answer) -> float:
    """Nine in ten are those of the bars, each as likely as it is."""
    chances = [math.exp(each - max(odds)) for each in odds]
    mean = math.fsum(c * part for c, part in zip(chances, asked.part, strict=True)) / math.fsum(chances)
    return 0.9 * mean + 0.1 * asked.chance


def _log(chance: float, came: bool) -> float:
    return math.log(max(0.01, chance if came else 1 - chance))
