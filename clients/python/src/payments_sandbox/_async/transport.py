"""Sends requests in threads, so that they do not block the event loop. `_sync` has a transport of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

# Hides these frames in the traceback of a failing test.
__tracebackhide__ = True

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(fn: Callable[P, T], /, *args: P.args, **named: P.kwargs) -> T:
    """Uses anyio if it is installed, so that it works under trio too."""
    try:
        from anyio import to_thread
    except ImportError:
        return await asyncio.to_thread(fn, *args, **named)

    def call() -> T:
        return fn(*args, **named)

    # A cancelled task does not wait for the request to end.
    return await to_thread.run_sync(call, abandon_on_cancel=True)


