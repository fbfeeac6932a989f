# Written by tools/write_sync.py from _async; edit that one.
"""The clock of a world."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from .ask import Ask, duration

# Hides these frames in the traceback of a failing test.
__tracebackhide__ = True


class Clock:
    """The clock of a world. It does not affect other worlds."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def now(self) -> datetime:
        """Returns the world's time, with a time zone."""
        return datetime.fromisoformat((self.show())["now"].replace("Z", "+00:00"))

    def show(self) -> dict[str, Any]:
        """Returns the time, the speed and the pending jobs."""
        shown: dict[str, Any] = self._ask("GET", "/sandbox/clock")
        return shown

    def freeze(self) -> None:
        """Freezes the clock: jobs run only through ``advance`` and ``settle``."""
        self._ask("POST", "/sandbox/clock/freeze")

    def resume(self) -> None:
        """Resumes the clock at the speed of real time."""
        self._ask("POST", "/sandbox/clock/resume")

    def speed(self, factor: float) -> None:
        """Runs the clock at a multiple of real time."""
        self._ask("POST", "/sandbox/clock/speed", {"speed": factor})

    def advance(self, to: str | timedelta | datetime) -> dict[str, Any]:
        """Advances the clock by a duration (``"72h"``, a ``timedelta``) or to a time. Returns the jobs that ran.

        :param to: a ``datetime`` must have a time zone
        """
        ran: dict[str, Any] = self._ask("POST", "/sandbox/clock/advance", _further(to))
        return ran


def _further(to: str | timedelta | datetime) -> dict[str, str]:
    if isinstance(to, datetime):
        if to.tzinfo is None:
            raise ValueError(f"clock.advance: {to!r} has no zone; give one, such as tzinfo=timezone.utc")
        return {"to": to.isoformat()}
    if isinstance(to, str) and to[:4].isdigit() and to[4:5] == "-":
        return {"to": to}
    return {"by": duration(to)}
