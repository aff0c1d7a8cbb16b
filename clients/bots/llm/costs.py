"""What completions cost: tokens as the endpoint counts them, dollars by a price list that is offline."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, Final

from engine.support.user_input import parse_finite

_MILLION: Final = 1e6
_MOST: Final = 10**9


def tokens_of(reply: Mapping[str, Any]) -> dict[str, int]:
    """The tokens that a completion says it has used; what is not a whole number from 0 is missing."""
    usage = reply.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    details = [usage.get(name) for name in ("prompt_tokens_details", "completion_tokens_details")]
    inner, outer = [each if isinstance(each, dict) else {} for each in details]
    said = {"in": usage.get("prompt_tokens"), "out": usage.get("completion_tokens")}
    said["cached"] = inner.get("cached_tokens", usage.get("cached_tokens"))
    said["reasoning"] = outer.get("reasoning_tokens", usage.get("reasoning_tokens"))
    return {name: each for name, each in said.items() if type(each) is int and 0 <= each < _MOST}


class Prices:
    """The price of a model's tokens.

    Args:
        price: ``IN/OUT`` in dollars for a million tokens; None for that of the package genai-prices.
        model: its name.
        url: of the endpoint, by which the package tells providers apart.

    Raises:
        ValueError: it is no price.
    """

    def __init__(self, price: str | None, model: str, url: str) -> None:
        self._model, self._url = model, url
        self._price: tuple[float, float] | None = None
        if price is not None:
            try:
                one, other = map(parse_finite, price.split("/"))
                if min(one, other) < 0:
                    raise ValueError
            except ValueError:
                expected = "expected price=IN/OUT, dollars for a million tokens"
                raise ValueError(f"{expected}, got {price!r}") from None
            self._price = (one, other)

    def usd(self, tokens: Mapping[str, int]) -> float | None:
        """The price of some tokens; None if nobody knows it."""
        if not {"in", "out"} <= set(tokens):
            return None
        if self._price is not None:
            return (tokens["in"] * self._price[0] + tokens["out"] * self._price[1]) / _MILLION
        try:
            from genai_prices import Usage, calc_price
        except ImportError:
            return None
        cached = min(tokens.get("cached", 0), tokens["in"])
        usage = Usage(input_tokens=tokens["in"], output_tokens=tokens["out"], cache_read_tokens=cached)
        for url in (self._url or None, None):
            with contextlib.suppress(LookupError):
                return float(calc_price(usage, self._model, provider_api_url=url).total_price)
        return None
