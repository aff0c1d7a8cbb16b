"""The signature shows what changes, and is compared with what commits state."""

import pytest

from clients.core.registry import installed_bots
from clients.lab.signature import INTEGER_PARTS, Signature, float_parts, signature
from server.commands.program import riverboat
from tests.signature import Stated, differences, newest_stated, read_trailer
from tests.support.commands import run_here

HERE = "cpu, numba 1, Python 3"


def signed(integers: int = 1, floats: int = 2, machine: str = HERE) -> Signature:
    return Signature({"rules": integers}, {"bot a": floats}, machine)


def test_every_bot_has_a_part_and_every_part_is_computed_alike_twice() -> None:
    # Others decide, or it is slow.
    needy = {"decide", "llm", "openspiel", "pypokerengine", "resolver", "rlcard", "skeleton"}
    assert {f"bot {name}" for name in installed_bots() if name not in needy} <= set(float_parts(riverboat))
    parts = ["parsers", "showdowns", "bot simple", "riverboat verify"]

    first, second = (signature(riverboat, parts) for _ in range(2))

    assert first == second
    assert [*first.integers, *first.floats] == parts
    assert len({*first.integers.values(), *first.floats.values()}) == len(parts)


@pytest.mark.slow
def test_commands_of_the_parts_succeed() -> None:
    for name in ("riverboat odds", "riverboat weights", "riverboat convert", "riverboat analyse"):
        lines = [line for line in float_parts(riverboat)[name]() if line.startswith(name.split()[1])]

        assert lines
        assert all(line.endswith(" -> 0") for line in lines), lines


def test_digits_show_which_kind_of_part_changed() -> None:
    number = signed().number

    assert signed(integers=3).number[:8] != number[:8]
    assert signed(integers=3).number[8:] == number[8:]
    assert signed(floats=3).number[:8] == number[:8]
    assert signed(floats=3).number[8:] != number[8:]


def test_only_integer_parts_are_an_error_and_floats_are_compared_on_one_machine() -> None:
    stated = Stated("abc", signed().number, HERE)

    assert differences(stated, signed()) == (None, None)
    error, warning = differences(stated, signed(integers=3))
    assert "integer parts differ" in str(error)
    assert warning is None
    error, warning = differences(stated, signed(floats=3))
    assert error is None
    assert "floating parts differ" in str(warning)
    assert "not compared" in str(differences(stated, signed(floats=3, machine="another"))[1])


def test_trailers_are_read() -> None:
    old, new = "0" * 16, "1" * 16

    assert read_trailer("abc", f"{new} ({HERE})") == Stated("abc", new, HERE)
    assert read_trailer("abc", f"{old} -> {new} ({HERE})") == Stated("abc", new, HERE)
    with pytest.raises(ValueError, match="commit abc: expected 'Signature"):
        read_trailer("abc", "12")


def test_the_newest_trailer_can_be_read() -> None:
    stated = newest_stated()

    assert stated is None or len(stated.number) == 16


def test_the_command_prints_parts_and_refuses_unknown_ones() -> None:
    printed = run_here("signature", "deals")
    refused = run_here("signature", "dealz")

    assert printed.output.splitlines()[1].endswith("  deals")
    assert refused.exit_code == 2
    assert "there is no part 'dealz'" in refused.output
    assert len(INTEGER_PARTS) >= 6
    assert "signature" not in run_here("--help").output
