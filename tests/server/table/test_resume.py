"""Going on with an interrupted match from its transaction log (docs/acpc-dealer.md 6.4)."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest

from server.table.config import MatchConfig, TimeLimits
from server.table.outcome import MatchOutcome
from tests.support import tables
from tests.support.cases import cases
from tests.support.dealer_process import dealer_process, sit_down
from tests.support.hands.golden_files import golden_game

HEADER = "# name/game/hands/seed match"
KILLS = 20
RESUMED_MATCHES = 4


def resumable(folder: Path, game: str = "leduc", hands: int = 2, **changes: Any) -> MatchConfig:
    """A match that is resumed from its transaction log, if there is one."""
    return tables.match_config(
        game, hands, log_path=folder / "match.log", transaction_path=folder / "match.tlog", append=True,
        **changes,
    )  # fmt: skip


async def played(
    config: MatchConfig, deciders: Sequence[tables.Decider] | None = None
) -> tuple[MatchOutcome, tables.Recorder, list[tables.Player]]:
    """A match played to its end, by players whose decisions the state determines."""
    table, players = await tables.play_match(
        config, deciders or [tables.state_determined(config.game)] * len(config.names)
    )
    return await table.outcome(), table.console, players


def transactions(*entries: str) -> str:
    """A transaction log: ``c 0`` becomes a line with stamps one microsecond apart."""
    return "".join(f"{entry} 100.000000 100.000001\n" for entry in entries)


def log_lines(config: MatchConfig, start: str = "") -> list[str]:
    assert config.log_path is not None
    return [line for line in config.log_path.read_text().splitlines() if line.startswith(start)]


@pytest.mark.parametrize(("log", "error"), cases(__file__, "bad transaction logs"))
async def test_a_bad_transaction_log_ends_the_match_in_the_words_of_the_acpc_dealer(
    log: str, error: str, tmp_path: Path
) -> None:
    config = resumable(tmp_path)
    (tmp_path / "match.tlog").write_text(log)

    outcome, console, players = await played(config)

    assert outcome.error == error
    assert console.stderr.endswith(error)
    assert [player.lines for player in players] == [[], []]
    assert (tmp_path / "match.tlog").read_text() == log


@pytest.mark.parametrize(
    ("entry", "error"),
    [
        ("rx 0", "ERROR: could not parse transaction action "),
        ("r199 0", "ERROR: invalid action in transaction log: "),
        ("r20001 0", "ERROR: invalid action in transaction log: "),
    ],
)
async def test_a_logged_raise_must_have_a_legal_size(entry: str, error: str, tmp_path: Path) -> None:
    config = resumable(tmp_path, "holdem.nolimit.2p.reverse_blinds")
    (tmp_path / "match.tlog").write_text(transactions(entry))

    outcome, _, _ = await played(config)

    assert outcome.error is not None
    assert outcome.error.startswith(error)


async def test_a_seat_that_used_up_its_time_before_has_used_it_up(tmp_path: Path) -> None:
    config = resumable(tmp_path, limits=TimeLimits(response=10.0, hand=15.0, per_hand=100.0))
    late = "c 0 100.000000 108.000000\nr 0 100.000000 101.000000\nc 0 100.000000 108.000000\n"
    (tmp_path / "match.tlog").write_text(late)

    outcome, _, _ = await played(config)

    assert outcome.error == "ERROR: seat 1 ran out of time in transaction file\n"


async def test_without_a_transaction_log_resuming_begins_anew(tmp_path: Path) -> None:
    config = resumable(tmp_path, hands=5)

    outcome, console, _ = await played(config)

    assert (outcome.error, outcome.hands) == (None, 5)
    assert len(log_lines(config, HEADER)) == 1
    assert console.stdout == log_lines(config, "SCORE:")[0] + "\n"


async def test_every_seat_is_first_shown_where_the_hand_stands(tmp_path: Path) -> None:
    config = resumable(tmp_path)
    (tmp_path / "match.tlog").write_text(transactions("r 0", "f 0", "c 1", "r 1"))

    async with tables.seated(config) as (_, (first, second)):
        await first.heard("MATCHSTATE:1:1:cr:|Qs")
        await second.heard("MATCHSTATE:0:1:cr:Qh|")


@pytest.mark.parametrize("kept", range(9))
async def test_a_match_cut_anywhere_comes_out_the_same(kept: int, tmp_path: Path) -> None:
    whole = resumable(tmp_path, "kuhn.limit.3p", hands=8, seed=3)
    outcome, console, _ = await played(whole)
    lines = (tmp_path / "match.tlog").read_text().splitlines(keepends=True)
    hands = log_lines(whole, "STATE:")
    torn = lines[kept * 3][: 3 * kept] if kept % 2 else ""
    (tmp_path / "match.tlog").write_text("".join(lines[: kept * 3]) + torn)
    (tmp_path / "match.log").write_text("".join(f"{line}\n" for line in [HEADER, *hands[: max(0, kept - 3)]]))

    resumed, again, players = await played(whole)

    assert resumed.chips_by_seat == outcome.chips_by_seat
    assert again.stdout == console.stdout
    assert log_lines(whole, "STATE:") == hands
    assert [line.split()[:2] for line in (tmp_path / "match.tlog").read_text().splitlines()] == [
        line.split()[:2] for line in lines
    ]
    for player, told in zip(players, tables.lines_told(whole), strict=True):
        assert player.lines == told[len(told) - len(player.lines) :]


async def test_torn_last_lines_are_cut_off_before_anything_is_appended(tmp_path: Path) -> None:
    config = resumable(tmp_path)
    (tmp_path / "match.tlog").write_text(f"{transactions('r 0', 'f 0')}c 1 100.00")
    (tmp_path / "match.log").write_text("# a header\nSTATE:0:rf:Ah|Ks:1|-1:p0|p1\nSTATE:1:c")

    outcome, _, players = await played(config, [tables.always(config.game, "c")] * 2)

    assert outcome.error is None
    assert players[0].lines[0] == "MATCHSTATE:1:1::|Qs"
    assert log_lines(config)[:2] == ["# a header", "STATE:0:rf:Ah|Ks:1|-1:p0|p1"]
    assert len(log_lines(config, "STATE:")) == 2


async def test_a_hand_that_is_over_in_the_transaction_log_only_is_logged_when_resuming(
    tmp_path: Path,
) -> None:
    config = resumable(tmp_path, hands=3)
    (tmp_path / "match.tlog").write_text(transactions("r 0", "f 0", "r 1", "f 1"))
    (tmp_path / "match.log").write_text("# a header\nSTATE:0:rf:Ah|Ks:1|-1:p0|p1\n")

    await played(config)

    hands = log_lines(config, "STATE:")
    assert (hands[:2], len(hands)) == (["STATE:0:rf:Ah|Ks:1|-1:p0|p1", "STATE:1:rf:Qh|Qs:1|-1:p1|p0"], 3)


async def test_a_finished_match_resumed_asks_nobody_anything_and_tells_the_score_again(
    tmp_path: Path,
) -> None:
    config = resumable(tmp_path, hands=5, quiet=False)
    outcome, console, _ = await played(config)
    hands = log_lines(config, "STATE:")

    again, second, players = await played(config)

    assert again.error is None
    assert (again.hands, again.chips_by_seat) == (5, outcome.chips_by_seat)
    assert second.stdout == console.stdout
    assert [player.lines for player in players] == [[], []]
    # As the ACPC's dealer: time is told of hands that are played, and no state has been sent since the start.
    assert "Seconds cumulatively spent" in console.stderr
    assert "Seconds cumulatively spent" not in second.stderr
    started, finished = re.findall(r"^(?:STARTED|FINISHED) at (\S+)$", second.stderr, re.MULTILINE)
    assert finished == started != "0.000000"
    assert log_lines(config, "STATE:") == hands
    assert len(log_lines(config, HEADER)) == 2
    assert len(log_lines(config, "SCORE:")) == 2


async def test_a_new_match_in_an_old_log_logs_all_its_hands(tmp_path: Path) -> None:
    """The same cards and actions as before, but nothing to resume from: another match."""
    config = resumable(tmp_path, hands=5)
    await played(config)
    (tmp_path / "match.tlog").unlink()

    await played(config)

    hands = log_lines(config, "STATE:")
    assert len(hands) == 10
    assert hands[:5] == hands[5:]


async def test_without_appending_both_files_begin_anew(tmp_path: Path) -> None:
    config = attrs.evolve(resumable(tmp_path), append=False)
    (tmp_path / "match.tlog").write_text("old\n")
    (tmp_path / "match.log").write_text("old\n")

    outcome, _, _ = await played(config)

    assert outcome.error is None
    assert "old" not in (tmp_path / "match.tlog").read_text() + (tmp_path / "match.log").read_text()


async def test_appending_without_a_transaction_log_only_appends(tmp_path: Path) -> None:
    config = attrs.evolve(resumable(tmp_path), transaction_path=None)
    (tmp_path / "match.log").write_text("old\n")

    await played(config)

    assert log_lines(config)[:1] == ["old"]
    assert len(log_lines(config, "STATE:")) == config.hands


@pytest.mark.parametrize(
    "match", [0, *(pytest.param(more, marks=pytest.mark.slow) for more in range(1, RESUMED_MATCHES))]
)
def test_a_dealer_killed_at_random_moments_and_resumed_plays_the_same_match(
    match: int, tmp_path: Path
) -> None:
    generator = random.Random(match)
    game = ("holdem.limit.2p.reverse_blinds", "holdem.nolimit.3p", "kuhn.limit.3p", "leduc")[match]
    hands = (60, 60, 200, 150)[match]
    num_seats = golden_game(game).num_players
    decide = tables.state_determined(golden_game(game))
    command = [f"{game}.game", str(hands), str(match), *[f"p{seat}" for seat in range(num_seats)], "-q"]
    with dealer_process(["whole", *command], tmp_path) as dealer:
        start = time.monotonic()
        players = sit_down(dealer.ports, decide)
        status, score = dealer.finish()
        seconds = time.monotonic() - start
        for player in players:
            player.join()
    assert status == 0

    kills = KILLS // RESUMED_MATCHES
    for run in range(kills + 1):
        with dealer_process(["match", *command, "-T", "-a"], tmp_path) as dealer:
            players = sit_down(dealer.ports, decide)
            if run < kills:
                # Not waiting for anything: any moment will do, also one between two writes.
                time.sleep(generator.uniform(0, seconds / (kills - 2)))
                dealer.kill()
            status, resumed_score = dealer.finish()
            for player in players:
                player.join()

    assert (status, resumed_score) == (0, score)
    whole, resumed = ((tmp_path / f"{name}.log").read_text().splitlines() for name in ("whole", "match"))
    assert [line for line in resumed if line.startswith("STATE:")] == [
        line for line in whole if line.startswith("STATE:")
    ]
    assert resumed[-1] == whole[-1]
