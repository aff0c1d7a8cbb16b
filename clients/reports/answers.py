"""What a bot answered in a spot, as a picture: for bots that do not tell what they would do with other hands.

This module is imported only when a picture is wanted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clients.core.figure import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["answers_figure"]

_NAMES: Final = {"f": "fold", "c": "call", "r": "raise"}
_COLOURS: Final = {"f": "#999999", "c": "#0072b2", "r": "#d55e00"}
"""Grey, and Okabe and Ito's blue and vermilion, told apart by everybody."""


def answers_figure(found: dict[str, Any], title: str) -> Figure:
    """How often each action was the answer and, where they are known, what actions are worth.

    Args:
        found: what ``riverboat ask --json`` prints.
        title: stands above.

    Raises:
        PlotError: matplotlib is not installed.
    """
    why = found.get("why", {})
    own, simulated = why.get("own_simulation"), why.get("simulation")
    values = own or simulated
    answers: dict[str, float] = found["answers"]
    actions = sorted({*answers, *[row["action"] for row in (values or {}).get("values", ())]}, key=_order)
    figure = new_figure(8.0 if values else 5.5, 1.6 + 0.45 * len(actions))
    figure.suptitle(title)
    panels = figure.subplots(1, 2 if values else 1, sharey=True, squeeze=False)[0]
    times = found["asked"]
    _bars(panels[0], actions, {action: (answers.get(action, 0.0), 0.0) for action in actions}, "{:.0%}")
    panels[0].set_xlim(0, 1.2)
    panels[0].set_xticks([0, 0.25, 0.5, 0.75, 1])
    panels[0].set_xlabel(f"answers, asked {times} time{'s' if times > 1 else ''}")
    panels[0].set_yticks(range(len(actions)), [_told(action) for action in actions])
    panels[0].invert_yaxis()
    if values:
        worth = {row["action"]: (row["value"], row["standard_error"]) for row in values["values"]}
        _bars(panels[1], actions, worth, "{:+z.2f}")
        panels[1].axvline(0, color="black", linewidth=0.8)
        panels[1].margins(x=0.3)
        unit = f", {values['unit']}" if "unit" in values else ""
        panels[1].set_xlabel(("its own values" if own else "simulated values") + f"{unit} ± standard error")
    return figure


def _bars(axes: Axes, actions: list[str], worth: dict[str, tuple[float, float]], form: str) -> None:
    """A bar for each action that has a value, with its error, and the number behind both."""
    for place, action in enumerate(actions):
        if action not in worth:
            continue
        value, error = worth[action]
        axes.barh(place, value, xerr=error or None, capsize=3, color=_COLOURS[action[0]], height=0.6)
        is_left = value < 0
        axes.annotate(
            form.format(value),
            (value - error if is_left else value + error, place),
            xytext=(-4 if is_left else 4, 0),
            textcoords="offset points",
            ha="right" if is_left else "left",
            va="center",
            fontsize=9,
        )


def _order(action: str) -> tuple[int, int]:
    """Folds, calls, raises by their size."""
    return "fcr".index(action[0]), int(action[1:] or 0)


def _told(action: str) -> str:
    return _NAMES[action[0]] + (f" to {action[1:]}" if action[1:] else "")
