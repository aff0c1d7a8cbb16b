"""Options of an agent: ``KEY=VALUE`` texts to the keyword arguments of its factory.

A key alone is ``KEY=on``, if the option can be on or off.

The options and their types are taken from the factory's signature, so that a bot declares them once, in
its `__init__`.
"""

from __future__ import annotations

import inspect
import math
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from clients.core.agent import Agent
from engine.poker.rules import GameDefinition
from engine.support.user_input import parse_finite, told_as

AgentFactory = Callable[..., Agent]

_BOOLEANS = {
    "true": True, "yes": True, "on": True, "1": True,
    "false": False, "no": False, "off": False, "0": False,
}  # fmt: skip


class OptionError(ValueError):
    """An option that the agent does not have or cannot take; the message is one line for people."""

    status: Final = 2
    """Of a program that ends for it."""


def parse_settings(settings: Sequence[str]) -> dict[str, str | None]:
    """``["fold=0.1", "call=0.5"]`` as a dictionary; the later of two for one key wins.

    A key alone has the value None: it switches something on, which `make_agent` checks.

    Raises:
        OptionError: an item without a key.
    """
    options: dict[str, str | None] = {}
    for item in settings:
        key, equals, value = item.partition("=")
        if not key.strip():
            raise OptionError(f"expected KEY=VALUE, got {item!r}")
        options[key.strip()] = value.strip() if equals else None
    return options


def make_agent(name: str, factory: AgentFactory, options: Mapping[str, str | None]) -> Agent:
    """An agent with its options.

    Args:
        name: what to call it in messages.
        factory: a class or function with keyword parameters.
        options: as texts, converted as the parameters are annotated; None switches an on/off option on.

    Raises:
        OptionError: no such option, or a value the agent does not take.
    """
    declared = agent_options(factory) if options or isinstance(factory, type) else ()
    arguments = read_options(name, factory, options)
    missing = [p.name for p in declared if p.default is p.empty and p.name not in arguments]
    if missing:
        raise OptionError(f"{name} needs {' and '.join(f'{_option_name(each)}=...' for each in missing)}")
    try:
        return factory(**arguments)
    except ValueError as error:
        raise OptionError(f"{name} does not take these options: {error}") from error


def read_options(
    name: str, factory: Callable[..., object], options: Mapping[str, str | None]
) -> dict[str, Any]:
    """The arguments that options mean; see `make_agent`."""
    declared = agent_options(factory) if options else ()
    parameters = {_option_name(p.name): p for p in declared}
    arguments: dict[str, Any] = {}
    for key, text in options.items():
        parameter = parameters.get(_option_name(key))
        if parameter is None:
            known = ", ".join(map(_with_default, declared)) or "none"
            raise OptionError(f"{name} has no option {key!r}; it has {known}")
        kind = _type_of(parameter)
        if text is None:
            if kind is not bool:
                raise OptionError(f"expected KEY=VALUE, got {key!r}")
            arguments[parameter.name] = True
            continue
        with told_as(OptionError, ValueError, what=f"option {key}={text!r} of {name}: expected "):
            arguments[parameter.name] = convert(text, kind)
    return arguments


def is_on(options: Mapping[str, str | None], name: str, *, default: bool) -> bool:
    """Whether an on/off option is on; any other value counts as the default.

    Args:
        options: as texts, of `parse_settings`.
        name: of the option.
        default: its value if it is not given.
    """
    if name not in options:
        return default
    text = options[name]
    return True if text is None else _BOOLEANS.get(text.lower(), default)


def require_holdem(name: str, game: GameDefinition) -> None:
    """Refuse to play anything but Texas hold'em; for agents, in `match_started`.

    Args:
        name: what to call the agent in the message.
        game: what is being played.

    Raises:
        OptionError: another game.
    """
    if not game.is_holdem:
        what = "52 cards, two hole cards, a board of 3, 4 and 5 cards"
        raise OptionError(f"{name} plays Texas hold'em only: {what}")


def require_no_antes(name: str, game: GameDefinition) -> None:
    """Refuse to play a game with antes; for agents whose compiled code knows none, in `match_started`.

    Args:
        name: what to call the agent in the message.
        game: what is being played.

    Raises:
        OptionError: a game with antes.
    """
    if game.has_antes:
        raise OptionError(f"{name} does not play games with antes")


def require_between(option: str, value: float, least: float, most: float) -> None:
    """Refuse a number out of range; for agents, in `__init__`.

    Raises:
        ValueError: it is less than the least, more than the most, or not a number.
    """
    if not least <= value <= most:
        raise ValueError(f"{option}: expected {least} to {most}, got {value}")


def require_one_of(option: str, word: str, words: Sequence[str]) -> None:
    """Refuse a word that an option does not know; for agents, in `__init__`.

    Raises:
        ValueError: it is none of the words.
    """
    if word not in words:
        raise ValueError(f"{option}: expected {', '.join(words[:-1])} or {words[-1]}, got {word!r}")


def agent_options(factory: Callable[..., object]) -> tuple[inspect.Parameter, ...]:
    """The options a factory takes: its parameters that can be given by keyword."""
    try:
        signature = inspect.signature(factory, eval_str=True)
    except NameError:  # an annotation that is only imported for type checkers
        signature = inspect.signature(factory)
    keyword = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return tuple(p for p in signature.parameters.values() if p.kind in keyword)


def describe_options(factory: AgentFactory) -> str:
    """``fold=0.06 call=0.47 raise=0.47``: options with their defaults; empty if there are none."""
    return " ".join(map(_with_default, agent_options(factory)))


def _option_name(name: str) -> str:
    """An option's name as users type it: ``raise`` for a parameter that Python requires to be ``raise_``."""
    return name.rstrip("_").replace("-", "_")


def _with_default(parameter: inspect.Parameter) -> str:
    name = _option_name(parameter.name)
    return name if parameter.default is parameter.empty else f"{name}={parameter.default}"


def _type_of(parameter: inspect.Parameter) -> Any:
    if parameter.annotation is not parameter.empty and not isinstance(parameter.annotation, str):
        return parameter.annotation
    if parameter.default is parameter.empty or parameter.default is None:
        return str
    return type(parameter.default)


def convert(text: str, kind: Any) -> Any:
    """The value of a text; a ValueError's message says what was expected."""
    origin = typing.get_origin(kind)
    if origin is typing.Literal:
        for value in typing.get_args(kind):
            if str(value) == text:
                return value
        raise ValueError("one of " + ", ".join(map(str, typing.get_args(kind))))
    if origin in (typing.Union, types.UnionType):
        kinds = typing.get_args(kind)
        if types.NoneType in kinds and text.lower() == "none":
            return None
        expected: list[str] = []
        for one in kinds:
            if one is not types.NoneType:
                try:
                    return convert(text, one)
                except ValueError as error:
                    expected.append(str(error))
        raise ValueError(" or ".join(expected))
    if kind is bool:
        if text.lower() not in _BOOLEANS:
            raise ValueError("true or false")
        return _BOOLEANS[text.lower()]
    if kind is int or kind is float:
        try:
            return int(text) if kind is int else parse_finite(text)
        except ValueError:
            raise ValueError("a whole number" if kind is int else "a finite number") from None
    if kind is Path:
        return Path(text)
    if kind in (str, Any, object):
        return text
    try:
        return kind(text)
    except (TypeError, ValueError):
        raise ValueError(f"a value of type {getattr(kind, '__name__', kind)}") from None


_NAMED_SIZES: Final = {
    "third": 1 / 3, "half": 1 / 2, "two-thirds": 2 / 3, "pot": 1.0, "two-pots": 2.0, "all-in": math.inf,
}  # fmt: skip


def parse_bet_sizes(text: str) -> tuple[float, ...]:
    """``half+pot+all-in`` as fractions of the pot, infinity for all in; numbers such as 0.75 will do, too.

    Raises:
        ValueError: nothing, or a word that is not a size.
    """
    sizes = []
    for word in text.replace("/", "+").replace(" ", "+").split("+"):
        try:
            size = _NAMED_SIZES[word] if word in _NAMED_SIZES else parse_finite(word)
        except ValueError:
            size = math.nan
        if not size > 0:
            got = f"such as half+pot+all-in, got {word!r} in {text!r}"
            known = f"there are {', '.join(_NAMED_SIZES)} and numbers above 0"
            raise ValueError(f"expected sizes joined by +, {got}; {known}")
        sizes.append(size)
    return tuple(sizes)


def parse_menus(text: str) -> tuple[tuple[tuple[float, ...], ...], ...]:
    """Sizes of raises by round, with commas, and by number of raises, with colons; each as `parse_bet_sizes`.

    Raises:
        ValueError: more than four rounds, or a part that is not sizes.
    """
    if text.count(",") > 3:
        raise ValueError(f"expected sizes for four rounds at most, got {text!r}")
    return tuple(tuple(map(parse_bet_sizes, menu.split(":"))) for menu in text.split(","))
