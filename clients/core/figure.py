"""Pictures as files: matplotlib is imported here and nowhere else, and not before a picture is begun."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class PlotError(Exception):
    """A picture that cannot be drawn or written, in one line for people."""


def require_matplotlib() -> None:
    """Says what is missing before anybody works for hours; matplotlib itself is not loaded.

    Raises:
        PlotError: matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        raise PlotError("pictures need matplotlib: pip install 'riverboat[plot]'")


def new_figure(width: float, height: float) -> Figure:
    """An empty picture.

    Args:
        width: inches.
        height: inches.

    Raises:
        PlotError: matplotlib is not installed.
    """
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save_figure(figure: Figure, path: str) -> None:
    """Writes a picture; the ending of the path chooses the format.

    Raises:
        PlotError: it cannot be written, or there is no such format.
    """
    from matplotlib import rc_context

    # No date and no random names: the same picture is the same file.
    metadata = {"Date": None} if path.lower().endswith(".svg") else None
    try:
        with rc_context({"svg.hashsalt": "riverboat"}):
            figure.savefig(path, dpi=120, metadata=metadata)
    except OSError as error:
        raise PlotError(f"{path} cannot be written: {error.strerror or error}") from error
    except ValueError as error:  # an ending that matplotlib does not know
        raise PlotError(f"{path}: {str(error).splitlines()[0]}") from error
