"""What goes wrong, told with what would have been accepted."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

# Tests that fail show their own lines, not these.
__tracebackhide__ = True


class NoSandbox(RuntimeError):
    """No sandbox could be started, or none answers at the address."""


class SandboxError(Exception):
    """The sandbox, or the service in it, refused what was asked."""

    def __init__(self, asked: str, status: int, body: Any) -> None:
        fields = body if isinstance(body, dict) else {}
        super().__init__(f"{asked}: {fields.get('error_message') or f'answered {status}'}")
        self.status = status
        self.code: str = fields.get("error_code") or ""
        """``error_code`` of the answer; empty when it had none."""
        self.body: dict[str, Any] = fields
        """The whole answer; empty when it was no JSON object."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """The nearest word, or all of them when none is near: to stand behind a message."""
    words = list(known)
    near = difflib.get_close_matches(word, words, 1)
    if near:
        return f" (did you mean {near[0]}?)"
    return f" (known are {', '.join(words)})" if words else " (it takes none)"


def require_known(asked: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raises ``TypeError`` that names every word that is not known."""
    words = list(known)
    wrong = [f"{name} is not known here{suggestion(name, words)}" for name in given if name not in words]
    if wrong:
        raise TypeError(f"{asked}: {'; '.join(wrong)}")
