"""Test against the payments sandbox: a world of its own for each test, its clock, its callbacks.

>>> from payments_sandbox import Sandbox
>>> with Sandbox.start() as sandbox, sandbox.world() as world:
...     world.scenario("payer-cancels")
"""

from ._async.sandbox import AsyncSandbox
from ._async.world import AsyncWorld
from ._callback import Callback, Received
from ._connection import Answer
from ._errors import NoSandbox, SandboxError
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
    "Received",
    "Sandbox",
    "SandboxError",
    "World",
    "sign",
    "verify",
]
