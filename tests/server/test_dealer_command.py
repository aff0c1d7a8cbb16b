"""The command line of ``riverboat dealer``: read as the ACPC dealer reads it, and answered in its words.

What is expected here was compared with that program, word for word.
"""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest

from server.commands.play.dealer import USAGE, UsageError, configure, main
from server.table.config import MatchConfig, OnFailure, TimeLimits
from tests.support.cases import cases
from tests.support.dealer_process import dealer_process, program, run_to_end
from tests.support.hands.golden_files import GOLDEN
from tests.support.tables import VERSION

GAME = "leduc.game"
NAMES = ["Alice", "Bob"]
GOOD = ["match", GAME, "2", "7", *NAMES]
USAGE_START = "usage: riverboat dealer MATCH GAME HANDS SEED NAME NAME... [options]\n"


@pytest.fixture(autouse=True)
def in_a_folder_with_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in GOLDEN.glob("*.game"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "bad.game").write_text("limit\nnumPlayers = 12\nnumRounds = 1\n")
    monkeypatch.chdir(tmp_path)


def refused(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What stands on stderr when the dealer refuses to begin: nothing else happens."""
    before = {*Path().iterdir()}

    assert main(arguments) == 1

    out, err = capfd.readouterr()
    assert out == ""
    assert {*Path().iterdir()} == before
    return err


@pytest.mark.parametrize(("arguments", "lines"), cases(__file__, "refused words"))
def test_a_bad_command_line_is_refused_in_the_words_of_the_acpc_dealer(
    arguments: list[str], lines: str, capfd: pytest.CaptureFixture[str]
) -> None:
    err = refused(capfd, *arguments)

    assert err.startswith(lines)
    ours = err.removeprefix(lines)  # what else we can tell stands below, on a line that says who speaks
    assert ours == "" or ours.startswith("riverboat dealer: ")


@pytest.mark.parametrize(("arguments", "line"), cases(__file__, "first faults"))
def test_the_first_fault_in_the_acpc_order_is_reported(
    arguments: list[str], line: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert refused(capfd, *arguments).startswith(line)


@pytest.mark.parametrize(
    "arguments", [[], ["match", GAME, "2"], ["-q", "--", "-q"], ["match", GAME, "x", "x", "Alice"]]
)
def test_too_few_arguments_print_the_usage_on_stdout(
    arguments: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 1

    out, err = capfd.readouterr()
    assert out.startswith(USAGE_START)
    assert err == ""


def test_what_is_not_said_has_the_defaults_of_the_acpc_dealer() -> None:
    config = configure(GOOD)

    assert (config.name, config.game_text, config.hands, config.cards.number) == ("match", GAME, 2, 7)
    assert config.names == ("Alice", "Bob")
    assert config.limits == TimeLimits(response=600.0, hand=600.0, per_hand=7.0, start=None, handshake=30.0)
    assert (config.log_path, config.transaction_path) == (Path("match.log"), None)
    assert (config.fixed_seats, config.append, config.quiet) == (False, False, False)
    assert (config.ports, config.seat_tokens) == ((), (None, None))
    assert (config.on_failure, config.host) == (OnFailure.ACPC, "127.0.0.1")


def test_a_vacated_seat_is_waited_for_when_that_is_asked_for() -> None:
    assert configure(GOOD).limits.grace == 0.0
    assert configure([*GOOD, "--grace", "1.5"]).limits.grace == 1.5
    assert configure([*GOOD, "--gra=2"]).limits.grace == 2.0


def test_surplus_names_are_ignored() -> None:
    assert configure([*GOOD, "Carol", "Dave"]).names == ("Alice", "Bob")


@pytest.mark.parametrize("arguments", cases(__file__, "the same options"))
def test_options_stand_anywhere_and_together(arguments: list[str]) -> None:
    config = configure(arguments)

    assert (config.fixed_seats, config.quiet, config.append) == (True, True, True)
    assert config.transaction_path == Path("match.tlog")
    assert (config.name, config.hands, config.cards.number, config.names) == ("match", 2, 7, ("Alice", "Bob"))


def test_after_two_dashes_nothing_is_an_option() -> None:
    config = configure(["-q", "--", "-f", GAME, "2", "-7", "-a", "-b"])

    assert (config.name, config.cards.number, config.names) == ("-f", 2**32 - 7, ("-a", "-b"))
    assert (config.fixed_seats, config.append, config.quiet) == (False, False, True)


@pytest.mark.parametrize(("options", "log", "transactions"), cases(__file__, "contradictions"))
def test_the_later_of_contradicting_options_wins(
    options: list[str], log: str | None, transactions: str | None
) -> None:
    config = configure([*GOOD, *options])

    assert config.log_path == (log and Path(log))
    assert config.transaction_path == (transactions and Path(transactions))


@pytest.mark.parametrize(("options", "response", "hand", "per_hand", "start"), cases(__file__, "time limits"))
def test_time_limits_are_milliseconds_and_their_names_may_be_cut_short(
    options: list[str], response: float, hand: float, per_hand: float, start: float | None
) -> None:
    assert configure([*GOOD, *options]).limits == TimeLimits(response, hand, per_hand, start)


@pytest.mark.parametrize(("hands", "seed", "read_hands", "read_seed"), cases(__file__, "numbers"))
def test_numbers_are_read_as_c_reads_them(hands: str, seed: str, read_hands: int, read_seed: int) -> None:
    config = configure(["match", GAME, "--", hands, seed, *NAMES])

    assert (config.hands, config.cards.number) == (read_hands, read_seed)


@pytest.mark.parametrize(
    ("text", "ports"),
    [("", ()), ("0,0", (0, 0)), ("5000", (5000,)), (" 1, 2", (1, 2)), ("65537,-1", (1, 65535))],
)
def test_ports_are_a_list_in_seat_order(text: str, ports: tuple[int, ...]) -> None:
    assert configure([*GOOD, "-p", text]).ports == ports


def test_surplus_ports_are_ignored(tmp_path: Path) -> None:
    with dealer_process([*GOOD, "-p", "0,0,0,0"], tmp_path) as dealer:
        assert len(dealer.ports) == 2


def test_a_random_seed_is_drawn_and_told(capfd: pytest.CaptureFixture[str]) -> None:
    configs = [configure(["match", GAME, "2", "random", *NAMES]) for _ in range(3)]

    told = re.findall(r"# seed (\d+), drawn from the operating system\n", capfd.readouterr().err)
    assert [str(config.cards.number) for config in configs] == told
    assert len({*told}) > 1


@pytest.mark.parametrize("name", ["a b", "a|b", "a:b", "", "a\nb", "x" * 101, "\udcff", "a\u200b", "\u202ea"])
def test_names_that_would_make_log_lines_or_players_ambiguous_are_refused(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    err = refused(capfd, "match", GAME, "2", "7", "Alice", name)

    assert err.startswith("ERROR: invalid player name ")


@pytest.mark.parametrize("name", ["Zoë", "x" * 100, "a/b", "-", "1"])
def test_other_names_are_taken(name: str) -> None:
    assert configure(["match", GAME, "2", "7", "Alice", name]).names == ("Alice", name)


def test_a_log_or_transaction_file_that_cannot_be_opened_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    log = refused(capfd, "none/match", *GOOD[1:])
    transactions = refused(capfd, "none/match", *GOOD[1:], "-l", "-T")

    assert log.startswith("ERROR: could not open log file none/match.log\n")
    assert transactions.startswith("ERROR: could not open transaction file none/match.tlog\n")


def test_a_port_that_is_taken_is_an_error_after_the_log_is_truncated(tmp_path: Path) -> None:
    with dealer_process(GOOD, tmp_path) as first:
        Path("second.log").write_text("old\n")
        port = first.ports[1]
        second = run_to_end(program("dealer", "second", *GOOD[1:], "-p", f"0,{port}"))

    assert (second.returncode, second.stdout) == (1, "")
    assert second.stderr.startswith("ERROR: could not create listen socket for player 2\n")
    assert Path("second.log").read_text() == ""


def test_a_seat_that_stays_empty_ends_the_match_at_the_start_timeout(tmp_path: Path) -> None:
    with dealer_process([*GOOD, "--start_timeout", "50", "-q"], tmp_path) as dealer, dealer.connect(0):
        assert dealer.finish() == (1, "")

    assert dealer.stderr.endswith("ERROR: timed out waiting for seat 2 to connect\n")


def test_our_own_options_name_an_address_tokens_and_a_policy() -> None:
    assert "--on-failure acpc|fair|patient" in USAGE
    config = configure([*GOOD, "--host", "::1", "--seat-token", "2=word", "--on-failure", "fold"])
    other = configure([*GOOD, "--seat-token=a,b", "--handshake_timeout=50"])

    assert (config.host, config.seat_tokens) == ("::1", (None, "word"))
    assert config.on_failure is OnFailure.FAIR
    assert (other.seat_tokens, other.limits.handshake) == (("a", "b"), 0.05)


@pytest.mark.parametrize(
    "options", [["--seat-token", "3=x"], ["--seat-token", "a,b,c"], ["--on-failure", "cry"], ["--h", "x"]]
)
def test_our_own_options_are_checked(options: list[str]) -> None:
    with pytest.raises(UsageError, match="ERROR: "):
        configure([*GOOD, *options])


def test_a_packaged_game_may_be_named_and_stands_in_the_header_as_typed(tmp_path: Path) -> None:
    with dealer_process(["match", "kuhn-2p", "1", "7", *NAMES, "-q"], tmp_path) as dealer:
        players = [dealer.connect(seat) for seat in range(2)]
        for sock in players:
            sock.sendall(f"{VERSION}\n".encode())
            sock.close()
        dealer.finish()

    assert dealer.stderr.startswith("# name/game/hands/seed match kuhn-2p 1 7\n")


def test_the_match_is_a_value_that_the_command_line_alone_makes() -> None:
    assert configure(GOOD) == configure([*GOOD])
    assert isinstance(configure(GOOD), MatchConfig)


@pytest.mark.parametrize("is_fixed", [False, True])
def test_seats_move_on_with_the_button_unless_fixed(is_fixed: bool, tmp_path: Path) -> None:
    with dealer_process(["m", GAME, "2", "7", *NAMES, "-q", *["-f"] * is_fixed], tmp_path) as dealer:
        with dealer.connect(0) as first, dealer.connect(1) as second:
            streams = first.makefile("rb"), second.makefile("rb")
            for sock in (first, second):
                sock.sendall(b"VERSION:2.0.0\n")
            for line in streams[0]:  # calls out of turn are left for later, or ignored
                state = line.rstrip()
                first.sendall(state + b":c\r\n")
                second.sendall(streams[1].readline().rstrip() + b":c\r\n")
            for stream in streams:
                stream.close()
        assert dealer.finish()[0] == 0

    names = [line.rpartition(":")[2] for line in Path("m.log").read_text().splitlines()[4:]]
    assert names == ["Alice|Bob", "Alice|Bob" if is_fixed else "Bob|Alice", "Alice|Bob"]


def test_an_interrupted_dealer_leaves_quietly_and_with_complete_files(tmp_path: Path) -> None:
    with dealer_process([*GOOD, "-q"], tmp_path) as dealer, dealer.connect(0) as first:
        first.sendall(b"VERSION:2.0.0\n")
        dealer.kill(signal.SIGINT)
        status, stdout = dealer.finish()

    assert (status, stdout) == (130, "")
    assert "Traceback" not in dealer.stderr
    assert Path("match.log").read_text() == dealer.stderr


def test_help_is_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0

    assert capsys.readouterr().out.startswith(USAGE)
