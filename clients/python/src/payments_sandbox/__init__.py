"""Tests against the payments sandbox, with an isolated world, clock and callbacks for each test.

>>> from payments_sandbox import Sandbox
>>> with Sandbox.start() as sandbox, sandbox.world() as world:
...     world.scenario("payer-cancels")
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._async.sandbox import AsyncSandbox
    from ._async.world import AsyncWorld
    from ._callback import Callback, Received
    from ._connection import Answer
    from ._errors import NoSandbox, SandboxError
    from ._payment import Payment, PaymentOptions
    from ._signatures import BadSignature, sign, verify
    from ._sync.sandbox import Sandbox
    from ._sync.world import World

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "AsyncSandbox",
    "AsyncWorld",
    "BadSignature",
    "Callback",
    "NoSandbox",
    "Payment",
    "PaymentOptions",
    "Received",
    "Sandbox",
    "SandboxError",
    "World",
    "sign",
    "verify",
]

_MODULES = {
    "_async.sandbox": ["AsyncSandbox"],
    "_async.world": ["AsyncWorld"],
    "_callback": ["Callback", "Received"],
    "_connection": ["Answer"],
    "_errors": ["NoSandbox", "SandboxError"],
    "_payment": ["Payment", "PaymentOptions"],
    "_signatures": ["BadSignature", "sign", "verify"],
    "_sync.sandbox": ["Sandbox"],
    "_sync.world": ["World"],
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Imports the module on first use, because pytest loads the plugin in every run."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    value = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
