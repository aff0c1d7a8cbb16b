"""Files with spots: our own TOML, TexasSolver's commands, and postflop-solver's fields as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from clients.commands import refusing
from engine.poker.cards import parse_written_cards
from engine.poker.ranges import parse_range
from engine.solving.subgames.menus import STREETS, BettingPlan, Menu, parse_menu, parse_sizes
from engine.solving.subgames.spots import SolvableSpot
from engine.support.arrays import Floats
from engine.support.files.formats import parse_json
from engine.support.user_input import parse_finite
from server.support.toml_text import FileMistake, Section, parse_toml, read_text

PLAYERS: Final = ("first", "second")
_OF_TEXAS: Final = ("oop", "ip")
_LEAST: Final = 1e-6
_MOST: Final = 1e9
"""Of chips, per cent and iterations."""
_IGNORED: Final = (
    "build_tree", "start_solve", "dump_result", "set_thread_num", "set_print_interval", "set_use_isomorphism",
    "set_dump_rounds",
)  # fmt: skip
"""Commands of TexasSolver that say how to run, not what is solved."""
_SAID: Final = (
    "set_pot", "set_effective_stack", "set_board", "set_range_oop", "set_range_ip", "set_allin_threshold",
    "set_raise_limit", "set_accuracy", "set_max_iteration",
)  # fmt: skip
"""Its other commands, but for sizes."""
_KINDS: Final = ("bet", "raise", "donk", "allin")


def read_spot(path: Path) -> SolvableSpot:
    """The spot of a file, in whichever of the three forms.

    Raises:
        CommandError: it cannot be read; one line with the place.
    """
    with refusing(FileMistake):
        text = read_text(path)
        if text.lstrip().startswith("{"):
            return _from_fields(text, path)
        if re.search(r"^\s*set_\w+\s+[^\s=]", text, re.MULTILINE):
            return _from_commands(text, path)
        return _from_toml(parse_toml(text, path), path)


def _spot(board: str, ranges: list[Floats], **values: Any) -> SolvableSpot:
    cards = parse_written_cards(board)
    if not 3 <= len(cards) <= 5:
        raise ValueError(f"board: expected 3, 4 or 5 cards, got {len(cards)}")
    for name, least in (("pot", _LEAST), ("stack", _LEAST), ("target", 0), ("iterations", 1)):
        if not least <= values.get(name, least) <= _MOST:
            raise ValueError(f"{name}: expected a number from {least:g} to {_MOST:g}, got {values[name]:g}")
    return SolvableSpot(board=cards, ranges=(ranges[0], ranges[1]), **values)


def _from_toml(file: Section, path: Path) -> SolvableSpot:
    board = file.text("board")
    pot, stack = file.number("pot", least=_LEAST), file.number("stack", least=_LEAST)
    ranges_, sizes = file.section("ranges", required=True), file.section("sizes")
    rules = file.section("rules")
    solve, own = file.section("solve"), [sizes.section(name) for name in PLAYERS]

    def menu(street: str, player: int) -> Menu:
        section = own[player] if street in own[player] else sizes
        with section.refusing(street, f"{street}: "):
            return parse_menu(section.text(street, ""))

    for section in (sizes, *own):
        for street in STREETS:
            section.text(street, "")
    betting = BettingPlan(
        menus={street: (menu(street, 0), menu(street, 1)) for street in STREETS},
        most_raises=rules.whole("most_raises", 0, least=0, most=20),
        all_in_from=rules.number("allin_threshold", 0.0),
    )
    if rules.number("rake", 0.0):
        raise rules.mistake("rake", "rake: spots with a rake cannot be solved")
    ranges = []
    for name in PLAYERS:
        if isinstance(ranges_._value.get(name), dict):
            text = read_text(path.parent / ranges_.section(name).text("file"))
        else:
            text = ranges_.text(name)
        with ranges_.refusing(name, f"{name}: "):
            ranges.append(parse_range(text, any_order=True))
    found: dict[str, Any] = {
        "target": solve.number("target", 0.3), "memory": solve.number("memory", 4.0),
        "iterations": solve.whole("iterations", 1000),
    }  # fmt: skip
    for section in (rules, solve, ranges_, *own, sizes, file):
        section.close()
    with file.refusing("board"):
        return _spot(board, ranges, pot=pot, stack=stack, betting=betting, **found)


def _from_commands(text: str, path: Path) -> SolvableSpot:
    """TexasSolver's: a bet of more than the threshold of the whole stack is all-in, as there."""
    said: dict[str, str] = {}
    sizes: dict[str, dict[str, str]] = {}
    at = f"{path}"
    try:
        for number, words in enumerate(text.splitlines(), 1):
            at = f"{path}:{number}"
            command, _, value = words.partition("#")[0].strip().partition(" ")
            if command == "set_bet_sizes":
                player, street, kind, *numbers = (part.strip().lower() for part in f"{value},,".split(","))
                if street not in STREETS or player not in _OF_TEXAS or kind not in _KINDS:
                    raise ValueError(f"expected oop|ip,flop|turn|river,{'|'.join(_KINDS)},..., got {value!r}")
                listed = "a" if kind == "allin" else ", ".join(f"{each}%" for each in numbers if each)
                parse_sizes(listed)
                sizes.setdefault(f"{street} {player}", {})[kind] = listed
            elif command in _SAID:
                said[command[4:]] = value.strip()
            elif command and command not in _IGNORED:
                raise ValueError(f"{command!r} is no command of TexasSolver")
        at = f"{path}"
        menus = {
            street: (_menu(sizes.get(f"{street} oop", {})), _menu(sizes.get(f"{street} ip", {})))
            for street in STREETS
        }
        return _spot(
            said["board"].replace(",", " "),
            [parse_range(said[f"range_{name}"], any_order=True) for name in _OF_TEXAS],
            pot=_number(said, "pot"), stack=_number(said, "effective_stack"),
            betting=BettingPlan(
                menus=menus, most_of_stack=_number(said, "allin_threshold", 1),
                most_raises=int(_number(said, "raise_limit", 0)),
            ),
            target=_number(said, "accuracy", 0.3),
            iterations=int(_number(said, "max_iteration", 1000)),
        )  # fmt: skip
    except ValueError as error:
        raise FileMistake(f"{at}: {error}") from None
    except KeyError as error:
        raise FileMistake(f"{path}: expected a line set_{error.args[0]}, found none") from None


def _menu(texts: Mapping[str, object]) -> Menu:
    all_in = texts.get("allin", "")
    leads = texts.get("donk")
    return Menu(
        parse_sizes(f"{texts.get('bet', '')}, {all_in}"),
        (parse_sizes(f"{texts.get('raise', '')}, {all_in}", is_raise=True),),
        None if leads is None else parse_sizes(str(leads)),
    )


def _from_fields(text: str, path: Path) -> SolvableSpot:
    """postflop-solver's: `CardConfig` and `TreeConfig`, in one object or one inside the other."""
    try:
        fields = dict(_flat(parse_json(text)))
        menus = {}
        for street in STREETS:
            first, second = _pair(fields, f"{street}_bet_sizes", dict, [{}, {}])
            if leads := fields.get(f"{street}_donk_sizes"):
                first |= {"donk": leads["donk"] if isinstance(leads, dict) else leads}
            menus[street] = (_menu(first), _menu(second))
        cards = [str(fields.get(key) or "") for key in ("flop", "turn", "river")]
        if _number(fields, "rake_rate", 0):
            raise ValueError("spots with a rake cannot be solved")
        return _spot(
            " ".join(cards), [parse_range(each, any_order=True) for each in _pair(fields, "range", str)],
            pot=_number(fields, "starting_pot"), stack=_number(fields, "effective_stack"),
            betting=BettingPlan(
                menus=menus, add_all_in_to=_number(fields, "add_allin_threshold", 0),
                all_in_from=_number(fields, "force_allin_threshold", 0),
                merging=_number(fields, "merging_threshold", 0),
            ),
        )  # fmt: skip
    except json.JSONDecodeError as error:
        raise FileMistake(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except KeyError as error:
        raise FileMistake(f"{path}: expected a field {error.args[0]!r}, found none") from None
    except (TypeError, ValueError) as error:
        raise FileMistake(f"{path}: {error}") from None


def _flat(fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The fields of an object and of those in it that hold several."""
    for key, value in fields.items():
        if isinstance(value, dict) and key.endswith("config"):
            yield from _flat(value)
        else:
            yield key, value


def _pair(found: Mapping[str, Any], key: str, kind: type, default: Any = None) -> list[Any]:
    value = found[key] if default is None else found.get(key, default)
    if not isinstance(value, list) or [isinstance(each, kind) for each in value] != [True, True]:
        raise ValueError(f"{key}: expected a list of two, one for each player, got {value!r}")
    return value


def _number(found: Mapping[str, Any], key: str, default: float | None = None) -> float:
    value = found[key] if default is None else found.get(key, default)
    try:
        number = parse_finite(str(value))
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None
    if number < 0:
        raise ValueError(f"{key}: expected 0 or more, got {number:g}")
    return number
