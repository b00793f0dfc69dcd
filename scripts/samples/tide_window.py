"""When the Terna may call at Lunga.

The pier at Lunga falls dry at spring tides. The skipper needs at least 2.4 metres of water over
the sill, and the forecast is trusted only to within 20 centimetres.
"""

from dataclasses import dataclass
from math import cos, pi

DRAUGHT_AND_MARGIN_M = 2.4
FORECAST_ERROR_M = 0.2
TIDAL_PERIOD_H = 12.42


@dataclass(frozen=True)
class Tide:
    """One tide: the hour of high water and the depth over the sill at high and low water."""

    high_water_hour: float
    high_m: float
    low_m: float


def depth_at(tide: Tide, hour: float) -> float:
    """Depth over the sill in metres, by the rule of the cosine."""
    middle = (tide.high_m + tide.low_m) / 2
    swing = (tide.high_m - tide.low_m) / 2
    return middle + swing * cos(2 * pi * (hour - tide.high_water_hour) / TIDAL_PERIOD_H)


def may_call_at_lunga(tide: Tide, hour: float) -> bool:
    """True when there is enough water even if the forecast is too high."""
    return depth_at(tide, hour) - FORECAST_ERROR_M >= DRAUGHT_AND_MARGIN_M


def windows(tide: Tide, step_minutes: int = 10) -> list[tuple[float, float]]:
    """The stretches of a day, in hours, during which the Terna may call."""
    found: list[tuple[float, float]] = []
    start: float | None = None
    for minute in range(0, 24 * 60 + step_minutes, step_minutes):
        hour = minute / 60
        if may_call_at_lunga(tide, hour):
            start = hour if start is None else start
        elif start is not None:
            found.append((start, hour))
            start = None
    if start is not None:
        found.append((start, 24.0))
    return found
