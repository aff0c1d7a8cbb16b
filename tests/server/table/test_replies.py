"""What may be sent for an action, and what is played for it, over the wire (docs/acpc-dealer.md 5.6, 5.7)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.poker.rules import parse_game
from tests.support.cases import cases
from tests.support.tables import always, match_config, play_match, seated

BAD_FORMAT = "bad action format in response, changed to call"
INVALID = "invalid action, changed to call"
BAD_STATE = "WARNING: bad state format in response"
UNREQUESTED = "WARNING: ignoring un-requested response"


async def played_for(game: str, lines: list[str], *, before: str = "") -> tuple[str, list[str]]:
    """What is played when the first to act of a heads-up game sends lines, and the warnings.

    Args:
        game: heads-up, reverse blinds: seat 2 acts first.
        lines: ``@`` in them stands for the state.
        before: actions of one letter that are taken before.
    """
    async with seated(match_config(game, seed=7)) as (table, players):
        acting = 1
        for action in before:
            for player in players:
                await player.line()
            await players[acting].answer(action)
            acting = 1 - acting
        for player in players:
            await player.line()
        state = players[acting].lines[-1]
        betting = state.split(":")[3]
        await players[acting].say(*(line.replace("@", state) for line in lines))
        line = await players[acting].line()
        assert line is not None
        after = line.split(":")[3]
        assert after.startswith(betting)
    return after.removeprefix(betting), table.console.complaints


@pytest.mark.parametrize(("answer", "played", "warning"), cases(__file__, "answers"))
async def test_an_answer_is_played_as_the_acpc_dealer_plays_it(
    answer: str, played: str, warning: str | None
) -> None:
    got, warnings = await played_for("holdem.nolimit.2p.reverse_blinds", [f"@:{answer}"])

    assert got == played
    assert warnings == ([] if warning is None else [f"WARNING: {warning}"])


@pytest.mark.parametrize(
    ("answer", "played", "warnings"),
    [
        ("r", "r", []),
        ("r500", "r", []),
        ("b", "r", []),
        ("f", "c/", [f"WARNING: {INVALID}"]),
        ("k", "c/", []),
        ("z", "c/", [f"WARNING: {INVALID}"]),
    ],
)
async def test_a_limit_raise_has_no_size_and_there_is_no_folding_for_nothing(
    answer: str, played: str, warnings: list[str]
) -> None:
    got = await played_for("holdem.limit.2p.reverse_blinds", [f"@:{answer}"], before="c")

    assert got == (played, warnings)


async def test_a_raise_too_many_is_a_call() -> None:
    got = await played_for("holdem.limit.2p.reverse_blinds", ["@:r"], before="rrr")

    assert got == ("c/", [f"WARNING: {INVALID}"])


@pytest.mark.parametrize(("lines", "warnings"), cases(__file__, "before an answer"))
async def test_what_is_not_an_answer_is_skipped_and_a_lenient_echo_is_one(
    lines: list[str], warnings: list[str]
) -> None:
    lines = ["x" * 8190 if line == "8190x" else line for line in lines]
    got = await played_for("holdem.nolimit.2p.reverse_blinds", lines)

    assert got == ("f", warnings)


@pytest.mark.parametrize("line", ["@", "@/", "@ :f", "@As:f"])
async def test_what_stands_between_state_and_colon_makes_the_answer_a_call(line: str) -> None:
    got = await played_for("holdem.nolimit.2p.reverse_blinds", [line])

    assert got == ("c", [f"WARNING: {BAD_FORMAT}"])


async def test_an_answer_may_end_with_the_stream_instead_of_a_line_end() -> None:
    async with seated(match_config()) as (_, (first, second)):
        await first.heard("MATCHSTATE:0:0::Ah|")
        await first.stream.send_all(b"MATCHSTATE:0:0::Ah|:c")
        await first.stream.send_eof()
        await second.heard("MATCHSTATE:1:0::|Ks", "MATCHSTATE:1:0:c:|Ks")


async def test_answers_sent_early_count_and_stale_ones_do_not() -> None:
    async with seated(match_config()) as (table, (first, second)):
        await second.say("MATCHSTATE:1:0:r:|Ks:f", "MATCHSTATE:1:0:c:|Ks:r", "MATCHSTATE:1:0:crrc/:|Ks:f")
        await first.heard("MATCHSTATE:0:0::Ah|")
        await first.answer("c")

        await first.heard("MATCHSTATE:0:0:c:Ah|", "MATCHSTATE:0:0:cr:Ah|")

    assert table.console.complaints == [UNREQUESTED]


async def test_after_sixty_three_raises_heads_up_there_is_only_a_call() -> None:
    text = "nolimit\nnumPlayers=2\nnumRounds=1\nstack=20000 20000\nblind=1 1\nnumSuits=4\nnumRanks=13\n"
    game = parse_game(f"{text}numHoleCards=2\nnumBoardCards=0\n")
    raises = "".join(f"r{total}" for total in range(2, 65))

    table, players = await play_match(match_config(game=game), [always(game, "r0")] * 2)

    assert players[0].lines[-1].split(":")[3] == f"{raises}c"
    assert table.console.complaints == [
        *(f"WARNING: raise of 0 increased to {total}" for total in range(2, 65)),
        "WARNING: #actions in round is too close to MAX_NUM_ACTIONS, forcing call/fold",
        f"WARNING: {INVALID}",
    ]
    outcome = await table.outcome()
    assert {abs(chips) for chips in outcome.chips_by_seat} == {64}


@settings(max_examples=60)
@given(st.lists(st.binary(max_size=300).filter(lambda data: b"\n" not in data), max_size=20))
async def test_whatever_is_said_first_an_answer_is_an_answer(lines: list[bytes]) -> None:
    async with seated(match_config()) as (table, (first, second)):
        await first.heard("MATCHSTATE:0:0::Ah|")
        await first.stream.send_all(b"".join(line + b"\n" for line in lines))
        await first.answer("r")
        await second.heard("MATCHSTATE:1:0::|Ks", "MATCHSTATE:1:0:r:|Ks")

    assert all(re.fullmatch(r"WARNING: [\w -]+", line) for line in table.console.complaints)
