"""The options of the bot `llm`: on the command line, which wins, or in a TOML file (``profile``)."""

import os
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import attrs

from clients.core.options import read_options, require_between, require_one_of
from protocol.agents.answers import READINGS, Reading

_OTHERS: Final = 0o077
_OMITTED: Final = ("temperature", "seed", "tool_choice")


@attrs.frozen(kw_only=True)
class Settings:
    """The options.

    Raises:
        ValueError: one that cannot be taken.
    """

    url: str = ""
    """The base of the endpoint, such as ``http://127.0.0.1:8080/v1``."""
    model: str = ""
    key_file: Path | None = None
    """A file with the key, which nobody else may read."""
    key_env: str | None = None
    """The environment variable that has it."""
    reading: Reading = "strict"
    tools: bool = True
    """Answers are tool calls; else the last JSON object with ``do`` in the text is read."""
    formats: int = 1
    """How many answers in a decision may be unreadable and asked for again; like the next two."""
    illegals: int = 1
    providers: int = 3
    attempt: float = 30.0
    """Seconds for one request."""
    reserve: float = 1.0
    """Seconds of a decision's time that are kept for answering."""
    seconds: float = 8.0
    """Seconds for a decision where the dealer names none."""
    history: int = 6
    """How many hands are told."""
    hud: bool = True
    """Whether the opponents' statistics are told."""
    max_tokens: int = 1024
    tokens_field: str = "max_tokens"
    """How the endpoint calls it."""
    temperature: float = 0.0
    seed: int = 0
    """Sent to the endpoint."""
    omit: str = ""
    """Members that are not sent, such as ``temperature+seed``."""
    budget_usd: float | None = None
    budget_tokens: int | None = None
    price: str | None = None
    """``IN/OUT``, dollars for a million tokens; without it that of the package genai-prices."""
    transcript: Path | None = None
    """What was said; by default beside the log, where the house says so."""
    replay: Path | None = None
    """A transcript that answers instead of the endpoint."""

    def __attrs_post_init__(self) -> None:
        if not (self.model and self.model.isprintable()) or not (self.url or self.replay):
            raise ValueError("expected url=http://HOST:PORT/v1 and model=NAME, here or in a profile")
        if self.url:
            _check_url(self.url)
        require_one_of("reading", self.reading, READINGS)
        for name in ("formats", "illegals", "providers", "history"):
            require_between(name, getattr(self, name), 0, 100)
        for name in ("attempt", "seconds"):
            require_between(name, getattr(self, name), 0.001, 86_400)
        require_between("reserve", self.reserve, 0, 3600)
        require_between("max_tokens", self.max_tokens, 1, 10**6)
        for name in self.omitted:
            require_one_of("omit", name, _OMITTED)

    @property
    def omitted(self) -> tuple[str, ...]:
        """Members that are not sent."""
        return tuple(name for name in self.omit.split("+") if name)

    def key(self) -> str | None:
        """The key; None for none.

        Raises:
            ValueError: it cannot be had, or others can read its file.
        """
        if self.key_file is not None:
            try:
                mode, key = self.key_file.stat().st_mode, self.key_file.read_text("ascii").strip()
            except (OSError, UnicodeError) as error:
                raise ValueError(f"the key file {self.key_file} cannot be read") from error
            if mode & _OTHERS and stat.S_ISREG(mode):
                raise ValueError(f"others can read {self.key_file}: chmod 600 {self.key_file}")
        elif self.key_env is not None:
            key = os.environ.get(self.key_env, "").strip()
            if not key:
                why = f"is not set; a match passes it on with --pass-env {self.key_env}"
                raise ValueError(f"{self.key_env} {why}")
        else:
            return None
        if not key.isascii() or not key.isprintable() or key.split() != [key]:
            raise ValueError("expected the key to be one word")
        return key


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        is_whole = is_whole and url.isprintable() and bool((parts.hostname or "").encode("idna"))
    except ValueError:
        is_whole = False
    if not is_whole or parts.query or parts.fragment:
        raise ValueError("expected url to be a base such as http://127.0.0.1:8080/v1")
    if "@" in parts.netloc:
        raise ValueError("a key in url can be seen by everybody: use key-file or key-env")


def settings_of(profile: Path | None, given: Mapping[str, Any]) -> Settings:
    """The settings of a profile, with what is given besides it.

    Raises:
        ValueError: the profile cannot be read, or a value cannot be taken.
    """
    return Settings(**{**({} if profile is None else _read(profile)), **given})


def _read(profile: Path) -> dict[str, Any]:
    try:
        found = tomllib.loads(profile.read_text("utf-8"))
    except OSError as error:
        raise ValueError(f"{profile} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{profile}: {error}") from error
    return read_options(str(profile), Settings, {key: str(value) for key, value in found.items()})
