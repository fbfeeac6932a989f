"""What `_async` awaits, done at once. Written by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

# Tests that fail show their own lines, not these.
__tracebackhide__ = True

P = ParamSpec("P")
T = TypeVar("T")


def in_thread(fn: Callable[P, T], /, *args: P.args, **named: P.kwargs) -> T:
    return fn(*args, **named)
