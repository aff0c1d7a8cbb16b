"""All that the C dealer wrote is true; one wrong character is found."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings, strategies as st

from engine.poker.match_key import DEALS_PER_CHAIN, DealKeys, MatchKey, MatchSeed
from engine.poker.rules import FOLD, Deal, initial_hand, load_game
from protocol.records import (
    RevealedKeys,
    format_commitment,
    format_deal_key,
    format_hand,
    format_header,
    format_key,
    format_score,
)
from server.commands.look_back.verify import verify
from server.records.logs import LoggedHand, open_log
from server.records.verification.log_checker import Verification, verify_log
from tests.support.cases import cases
from tests.support.hands.golden_files import GOLDEN, LOGS, golden_log
from tests.support.tables import match_config, play_match, state_determined

BEFORE = GOLDEN / "written_before" / "matches"
HANDS = Path(__file__).parents[4] / "shared" / "hands"


def written(folder: Path, text: str, name: str = "a.log") -> Path:
    path = folder / name
    path.write_text(text, "utf-8", newline="")
    return path


def shortened(name: str, hands: int) -> str:
    """The log of a match of the C dealer, as if it had ended after some hands."""
    golden = golden_log(name)
    header, *lines = golden.text.splitlines(keepends=True)
    first, game, _, seed = header.rsplit(" ", 3)
    names = golden.records[0].names
    score = [0.0] * len(names)
    for record in golden.records[:hands]:
        for player, chips in zip(record.names, record.chips, strict=True):
            score[names.index(player)] += chips
    header = f"{first} {GOLDEN / game} {hands} {seed}"
    return "".join([header, *lines[: 3 + hands], format_score(score, names)])


@pytest.mark.parametrize("name", LOGS)
def test_golden_logs_are_true(name: str, tmp_path: Path) -> None:
    text = shortened(name, 60)

    checked = verify_log(written(tmp_path, text))

    seed = text.split("\n")[0].split()[-1]
    assert checked == Verification(tmp_path / "a.log", 60, None, f"seed {seed}", True)


@pytest.mark.slow
@pytest.mark.parametrize("name", LOGS)
def test_golden_logs_are_true_to_the_end(name: str) -> None:
    checked = verify_log(GOLDEN / f"{name}.log.gz")

    assert (checked.problem, checked.is_complete) == (None, True)


@pytest.mark.parametrize("path", sorted(BEFORE.glob("**/match.log")), ids=lambda path: str(path.parent.name))
def test_logs_written_before_are_true(path: Path) -> None:
    assert verify_log(path).problem is None


@pytest.mark.skipif(not HANDS.exists(), reason="the hands are not part of the repository")
def test_a_session_that_was_really_played_is_true() -> None:
    checked = verify_log(HANDS / "pluribus_30.log", str(HANDS / "pluribus.6p.game"))

    assert (checked.problem, checked.hands, checked.cards) == (None, 80, None)


def meaning(hand: LoggedHand) -> tuple[object, ...]:
    """All that follows from something else.

    The betting need not: one wrong character can make other betting of it, legal and with the same chips:
    a raise of another size that all fold to, or ``r672c`` for ``r6724`` where all are all in later.
    """
    return hand.number, hand.state.deal, tuple(round(chips, 6) for chips in hand.chips), hand.names


SHORT = {
    name: shortened(name, 8)
    for name in (
        "random.holdem.limit.2p.reverse_blinds.0", "random.holdem.nolimit.3p.0", "random.leduc.0",
        "random.kuhn.limit.3p.0", "random.short6.0", "random.rnd25.123456",
    )
}  # fmt: skip


@settings(max_examples=100)
@given(st.sampled_from(sorted(SHORT)), st.data())
def test_one_wrong_character_is_found_or_means_nothing(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    text = SHORT[name]
    first = text.index("STATE:")
    at = data.draw(st.integers(first, len(text) - 1))
    character = data.draw(
        st.sampled_from("0123456789-.|:/fcrTJQKAcdhspSE#\n ") | st.characters(exclude_categories=["Cs"])
    )
    folder = tmp_path_factory.getbasetemp()
    mutated = written(folder, text[:at] + character + text[at + 1 :], "mutated.log")

    checked = verify_log(mutated)

    if checked.is_valid:
        before = [meaning(hand) for hand in open_log(written(folder, text)).hands()]
        log = open_log(mutated)
        assert [meaning(hand) for hand in log.hands()] == before
        assert log.score is not None
        assert checked.is_complete
    else:
        assert checked.problem is not None
        assert "\n" not in str(checked.problem)


LEDUC = shortened("random.leduc.0", 8)


def edited(line: int, old: str, new: str) -> str:
    lines = LEDUC.splitlines(keepends=True)
    assert old in lines[line - 1], lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    return "".join(lines)


@pytest.mark.parametrize(("line", "old", "new", "what"), cases(__file__, "wrong lines"))
def test_the_first_wrong_line_is_named(tmp_path: Path, line: int, old: str, new: str, what: str) -> None:
    checked = verify_log(written(tmp_path, edited(line, old, new)))

    assert checked.problem is not None
    assert checked.problem.line == line
    assert re.search(what, checked.problem.what)
    assert checked.hands == min(line - 5, 8)


def test_an_end_that_is_missing(tmp_path: Path) -> None:
    whole = LEDUC.splitlines(keepends=True)

    no_score = verify_log(written(tmp_path, "".join(whole[:-1])))
    assert str(no_score.problem) == f"{tmp_path / 'a.log'}:12: expected SCORE: after the last of 8 hands"
    torn = verify_log(written(tmp_path, LEDUC[:-5]))
    assert torn.problem is not None
    assert (torn.problem.line, torn.problem.what) == (13, "the last line is torn off")
    interrupted = verify_log(written(tmp_path, "".join(whole[:-3])))
    assert (interrupted.problem, interrupted.hands, interrupted.is_complete) == (None, 6, False)
    too_many = verify_log(written(tmp_path, LEDUC.replace(" 8 0\n", " 7 0\n")))
    assert str(too_many.problem).endswith(":12: expected no hand after the last of 7, got hand 7")


def test_without_header_cards_follow_from_the_seed_that_is_given(tmp_path: Path) -> None:
    path = written(tmp_path, "".join(LEDUC.splitlines(keepends=True)[4:]))

    assert verify_log(path, "leduc").cards is None
    assert verify_log(path, "leduc", MatchSeed(0)).is_valid
    other = verify_log(path, "leduc", MatchSeed(1))
    assert other.problem is not None
    assert other.problem.what.startswith("cards: expected")


def raised(
    name: str, cards: MatchSeed | MatchKey, hands: int, notes: str = "", *, rotates: bool = True
) -> str:
    """The log of a game of two in which everybody always raises."""
    game = load_game(name)
    dealer, seats, totals = cards.dealer(game), ("a", "b"), [0.0, 0.0]
    lines = [format_header("match", name, hands, cards.announced, 1, 1, 1), notes]
    for number in range(hands):
        state = initial_hand(game, number, dealer.deal())
        while not state.is_finished:
            state = state.apply(state.legal_actions().raising_to())
        shift, chips = number % 2 if rotates else 0, state.chips_won()
        lines.append(format_hand(state, chips, seats[shift:] + seats[:shift]))
        by_seat = chips[-shift:] + chips[:-shift]
        totals = [total + won for total, won in zip(totals, by_seat, strict=True)]
    return "".join([*lines, format_score(totals, seats)])


def keyed_log(key: MatchKey, commitment: str, revealed: str) -> str:
    return raised("limit-2p", key, 5, format_commitment(commitment)) + revealed


def test_the_key_is_the_one_that_was_committed_to(tmp_path: Path) -> None:
    key, other = MatchKey(bytes(range(32))), MatchKey(bytes(32))

    true = verify_log(written(tmp_path, keyed_log(key, key.commitment, format_key(key.text))))
    assert (true.problem, true.cards) == (None, key.label)
    secret = verify_log(written(tmp_path, keyed_log(key, key.commitment, "")))
    assert (secret.problem, secret.cards) == (None, None)
    assert verify_log(tmp_path / "a.log", cards=key).cards == key.label
    exchanged = verify_log(written(tmp_path, keyed_log(key, key.commitment, format_key(other.text))))
    assert exchanged.problem is not None
    assert exchanged.problem.line == 12
    assert "is not the one that was committed to" in exchanged.problem.what
    dealt_otherwise = verify_log(written(tmp_path, keyed_log(key, other.commitment, format_key(other.text))))
    assert dealt_otherwise.problem is not None
    assert dealt_otherwise.problem.line == 6
    no_key = verify_log(written(tmp_path, keyed_log(key, key.commitment, "# key 123\n")))
    assert "expected a key of 64 hexadecimal digits" in str(no_key.problem)


def chained_log(keys: DealKeys, first: int, end: int) -> str:
    """Folded hands of a log from one sitting, as from its commitment on."""
    game = load_game("limit-2p")
    lines = [format_commitment(keys.commitment_from(first))]
    for number in range(first, end):
        deal = MatchKey(keys.key(number)).dealer(game).deal()
        state = initial_hand(game, number, deal).apply(FOLD)
        names = ("a", "b") if number % 2 == 0 else ("b", "a")
        lines += [format_deal_key(number, keys.key(number)), format_hand(state, state.chips_won(), names)]
    return "".join(lines)


def test_each_hand_is_checked_by_its_own_key_and_this_by_the_commitment_of_its_sitting(
    tmp_path: Path,
) -> None:
    one, other = DealKeys(bytes(range(32))), DealKeys(bytes(32))
    head = format_header("match", "limit-2p", 9, "random", 1, 1, 1)
    first, second = chained_log(one, 0, 4), chained_log(other, 4, 7)
    torn = format_deal_key(4, one.key(4))  # its hand never came to be written

    def check(text: str) -> tuple[int, str]:
        checked = verify_log(written(tmp_path, head + text))
        return checked.hands, checked.problem.what if checked.problem else str(checked.cards)

    assert check(first + torn + second) == (7, "the keys of the hands")
    assert check(first) == (4, "the keys of the hands")
    key = format_deal_key(2, one.key(2))
    assert check(first.replace(key, "")) == (2, "expected the key of hand 2 before it")
    assert check(first.replace(key, format_deal_key(2, other.key(2)))) == (
        2, "the key of hand 2 is not the one that was committed to"
    )  # fmt: skip
    assert check(first + chained_log(other, 4, 7).partition("\n")[2]) == (
        4, "the key of hand 4 is not the one that was committed to"
    )  # fmt: skip
    assert check(first.partition("\n")[2]) == (0, "the key of hand 0 has not been committed to")
    hand = next(line for line in first.splitlines() if line.startswith("STATE:2:"))
    swapped = re.sub(r"(\w{4})\|(\w{4})", r"\2|\1", hand)
    assert check(first.replace(hand, swapped))[1].startswith("cards: expected")


def test_the_next_chain_of_keys_is_committed_to_before_the_last_one_ends(tmp_path: Path) -> None:
    keys, end = DealKeys(bytes(range(32))), DEALS_PER_CHAIN
    before, after = chained_log(keys, end - 2, end), chained_log(keys, end, end + 2).partition("\n")[2]
    upcoming = format_commitment(keys.commitment_from(end), end)

    def last_cards(text: str) -> Deal | None:
        read = RevealedKeys()
        for line in text.splitlines():
            read.read(line, end - 2)  # where the first commitment counts from
        return read.deal(load_game("limit-2p"), end + 1)

    assert last_cards(before + upcoming + after) is not None
    with pytest.raises(ValueError, match=f"the key of hand {end} is not the one"):
        last_cards(before + after)


def test_cards_of_a_showdown_that_are_not_in_the_log(tmp_path: Path) -> None:
    hand = "STATE:0:cc/crc:Ah|/Kh:{}:a|b\n"

    assert verify_log(written(tmp_path, hand.format("-5|5")), "leduc").is_valid
    assert not verify_log(written(tmp_path, hand.format("-5|6")), "leduc").is_valid
    assert not verify_log(written(tmp_path, hand.format("-6|6")), "leduc").is_valid


def test_a_resumed_match_of_the_c_dealer(tmp_path: Path) -> None:
    """Hands that were lost between the logs (docs/acpc-dealer.md 6.4) are no fault; its score counts them."""
    lines = LEDUC.splitlines(keepends=True)

    resumed = "".join([*lines[:7], *lines[:4], *lines[8:]])

    assert verify_log(written(tmp_path, resumed)).is_valid
    assert not verify_log(written(tmp_path, "".join([*lines[:7], *lines[8:]]))).is_valid


def test_games_without_rotation(tmp_path: Path) -> None:
    assert verify_log(written(tmp_path, raised("leduc", MatchSeed(3), 4, rotates=False))).is_valid


async def test_a_match_with_antes_over_sockets(tmp_path: Path) -> None:
    path = tmp_path / "match.log"
    config = match_config("nolimit-6p-ante", 25, 5, log_path=path)

    await play_match(config, [state_determined(config.game)] * 6)

    checked = verify_log(path)
    assert (checked.problem, checked.hands, checked.cards) == (None, 25, "seed 5")
    assert any(hand.state.betting.is_showdown for hand in open_log(path).hands())
    folded = [
        chips
        for hand in open_log(path).hands()
        for chips, out, spent in zip(
            hand.chips, hand.state.betting.folded, hand.state.betting.spent, strict=True
        )
        if out and not spent
    ]
    assert set(folded) == {-10.0}


# --- the command -----------------------------------------------------------------------------------------


def test_command(tmp_path: Path) -> None:
    def run(*words: str) -> tuple[int, str]:
        result = CliRunner().invoke(verify, words)
        return result.exit_code, result.output

    good, bad = written(tmp_path, LEDUC), written(tmp_path, edited(6, ":0|0:", ":1|-1:"), "b.log")
    assert run(str(good)) == (0, f"{good}: true: 8 hands, cards from seed 0, score\n")
    status, output = run(str(bad))
    assert (status, output) == (1, f"{bad}:6: chips: expected 0|0, got 1|-1\n")
    status, output = run(str(good), str(bad), "--json")
    report = json.loads(output)
    assert status == 1
    assert (report["valid"], report["hands"]) == (False, 9)
    assert report["first_problem"] == {"log": str(bad), "line": 6, "what": "chips: expected 0|0, got 1|-1"}
    assert run(str(good), "--json")[0] == 0
    assert run(str(BEFORE / "duplicate"))[0] == 0
    status, output = run(str(tmp_path / "none.log"), "--json")
    assert (status, json.loads(output)["valid"]) == (1, False)
    assert run(str(tmp_path / "none.log")) == (1, f"Error: {tmp_path / 'none.log'}: there is no such file\n")
    assert run(str(good), "--seed", "x")[0] == 2
    binary = tmp_path / "binary.log"
    binary.write_bytes(bytes(range(256)) * 20)
    status, output = run(str(binary))
    assert (status, output.startswith(f"Error: {binary}:1: expected STATE:")) == (1, True)
