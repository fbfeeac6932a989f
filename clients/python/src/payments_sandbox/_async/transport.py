"""The same requests without blocking the event loop: each is made in a thread. Written by hand; `_sync` has its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

# Tests that fail show their own lines, not these.
__tracebackhide__ = True

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(fn: Callable[P, T], /, *args: P.args, **named: P.kwargs) -> T:
    """With anyio where there is one, so that it works under trio, too."""
    try:
        from anyio import to_thread
    except ImportError:
        return await asyncio.to_thread(fn, *args, **named)

    def call() -> T:
        return fn(*args, **named)

    # Who is cancelled while he waits for a callback does not wait for the end of it.
    return await to_thread.run_sync(call, abandon_on_cancel=True)


