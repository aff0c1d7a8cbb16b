"""What every command refuses, in one line and with exit status 2: found by walking through all of them."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from clients.core.one_line import OneLineCommand
from clients.core.options import OptionError, agent_options, make_agent
from clients.core.registry import UnknownBot, installed_bots, load_bot
from server.commands.play.dealer import configure, main as deal
from server.commands.program import riverboat
from tests.support.interpreter import imported_by

NOT_FINITE = ("nan", "-nan", "inf", "-inf", "1e999")
NO_HOST = ("127..0.1", "a" * 64 + ".example", "127.0.0.1\udcff", "")
MANY_DIGITS = "9" * 4301


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """All commands below one, by their words."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for sub_name in command.list_commands(context):
            sub_command = command.get_command(context, sub_name)
            if sub_command is not None:
                yield from commands(sub_command, f"{name} {sub_name}")


def options_that_are_numbers() -> list[tuple[str, click.Parameter]]:
    return [
        (f"{name} {parameter.opts[-1]}", parameter)
        for name, command in commands(riverboat, "riverboat")
        for parameter in command.params
        if isinstance(parameter.type, type(click.FLOAT))
    ]


def bots_options_that_are_numbers() -> list[tuple[str, str]]:
    return [
        (name, parameter.name)
        for name in installed_bots()
        for parameter in agent_options(load_bot(name))
        if "float" in str(parameter.annotation)
    ]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(riverboat, arguments)


def assert_refused_in_one_line(result: Result, *words: str) -> None:
    assert result.exit_code == 2, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    lines = [line.strip() for line in result.stderr.splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith(("Usage:", "Try "))]
    assert len(said) == 1, result.stderr
    assert all(word in said[0] for word in words), said[0]


@pytest.mark.parametrize("text", NOT_FINITE)
def test_no_option_of_a_command_takes_a_number_that_is_not_finite(text: str) -> None:
    found = options_that_are_numbers()
    assert len(found) > 10

    for name, option in found:
        with pytest.raises(click.UsageError):
            pytest.fail(f"{name} takes {text} for {option.type.convert(text, option, None)}")


@pytest.mark.parametrize("text", NOT_FINITE)
def test_no_option_of_a_bot_takes_a_number_that_is_not_finite(text: str) -> None:
    found = bots_options_that_are_numbers()
    assert len(found) > 8

    for name, option in found:
        with pytest.raises(OptionError, match="finite"):
            make_agent(name, load_bot(name), {option: text})


def test_the_dealer_takes_a_token_of_thousands_of_digits_for_a_token() -> None:
    config = configure(["m", "limit-2p", "1", "1", "a", "b", "--seat-token", f"{MANY_DIGITS}=x"])

    assert config.seat_tokens == (f"{MANY_DIGITS}=x", None)


@pytest.mark.parametrize("error", [OptionError("plays another game"), UnknownBot("there is no such bot")])
def test_what_a_bot_refuses_wherever_it_is_noticed_is_one_line(error: Exception) -> None:
    def command() -> None:
        raise error

    result = CliRunner().invoke(OneLineCommand("train", callback=command))

    assert_refused_in_one_line(result, str(error))


@pytest.mark.parametrize("host", NO_HOST)
@pytest.mark.parametrize("command", [("bot", "random"), ("play",), ("telnet", "--listen", "0")])
def test_what_is_not_a_host_name_is_refused_before_anything_is_done(
    command: tuple[str, ...], host: str
) -> None:
    assert_refused_in_one_line(run(*command, host, "1"), "not a host name")


@pytest.mark.parametrize("host", NO_HOST[:3])
def test_a_table_is_not_opened_on_what_is_not_a_host_name(
    host: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    arguments = ["limit-2p", "1", "1", "a", "b", "--host", host, "-l", "-q"]

    assert deal([str(tmp_path / "match"), *arguments]) == 1

    said = capfd.readouterr().err
    assert said.startswith("ERROR: could not create listen socket for player 1\n")
    assert len(said.splitlines()) == 2


def test_the_first_page_of_the_help_has_groups_of_whole_sentences() -> None:
    text = run("--help").output
    headings = [line for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]

    assert headings == [
        "Options:", "Play:", "Match and league:", "Look back:", "Ask and learn:", "Solve:", "Operate:",
    ]  # fmt: skip
    assert "..." not in text.partition("Play:")[2]
    shown = {name for name, command in commands(riverboat, "") if name.count(" ") == 1 and not command.hidden}
    for name in shown:
        assert f"\n  {name.strip()} " in text


def test_an_option_has_one_metavar_wherever_it_stands() -> None:
    expected = {"--hands": "N", "--jobs": "N", "--seed": "S", "--game": "GAME"}
    found = {
        (name, option): parameter.metavar
        for name, command in commands(riverboat, "riverboat")
        for parameter in command.params
        for option in expected.keys() & set(parameter.opts)
        if not isinstance(parameter.type, click.Choice)
    }

    assert len(found) > 30
    assert {place: text for place, text in found.items() if text != expected[place[1]]} == {}


def test_help_reads_in_the_sources_what_the_commands_say(monkeypatch: pytest.MonkeyPatch) -> None:
    context = click.Context(riverboat)
    from_sources = dict(riverboat._summaries(context))
    loaded = imported_by("from server.commands.program import riverboat; riverboat(['--help'])")

    monkeypatch.setattr("server.commands.program._told_by_source", lambda entry: None)
    assert from_sources == dict(riverboat._summaries(context))
    assert not loaded & {"clients", "numpy"}
