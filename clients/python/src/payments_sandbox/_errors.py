"""The errors of the client."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

# Hides these frames in the traceback of a failing test.
__tracebackhide__ = True


class NoSandbox(RuntimeError):
    """No sandbox could be started, or none responds at the address."""


class SandboxError(Exception):
    """A request was rejected."""

    def __init__(self, asked: str, status: int, body: Any) -> None:
        fields = body if isinstance(body, dict) else {}
        super().__init__(f"{asked}: {fields.get('error_message') or f'answered {status}'}")
        self.status = status
        self.code: str = fields.get("error_code") or ""
        """``error_code`` of the response; empty if there is none."""
        self.body: dict[str, Any] = fields
        """The response body; empty if it is not a JSON object."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """Returns the nearest word, or all words if none is near, for the end of a message."""
    words = list(known)
    near = difflib.get_close_matches(word, words, 1)
    if near:
        return f" (did you mean {near[0]}?)"
    return f" (known are {', '.join(words)})" if words else " (it takes none)"


def require_known(asked: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raises ``TypeError`` with all unknown words."""
    words = list(known)
    wrong = [f"{name} is not known here{suggestion(name, words)}" for name in given if name not in words]
    if wrong:
        raise TypeError(f"{asked}: {'; '.join(wrong)}")
