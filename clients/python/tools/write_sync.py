"""Writes the blocking client from the asynchronous one: python tools/write_sync.py [--check]

Every file of `_async` but `transport.py`, without what is asynchronous about it. With --check it writes nothing, and ends with 1 when
a file is not what it would write.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "payments_sandbox"
WORDS = {"__aenter__": "__enter__", "__aexit__": "__exit__"}


def sync(text: str) -> str:
    text = re.sub(r"\b(async (?=def|with|for)|await )", "", text)
    text = re.sub(r"\bAsync(?=[A-Z])", "", text)
    for word, other in WORDS.items():
        text = text.replace(word, other)
    return f"# Written by tools/write_sync.py from _async; edit that one.\n{text}"


def main() -> int:
    stale = []
    for source in sorted((PACKAGE / "_async").glob("*.py")):
        if source.name in ("transport.py", "__init__.py"):
            continue
        target = PACKAGE / "_sync" / source.name
        text = sync(source.read_text())
        if not target.exists() or target.read_text() != text:
            stale.append(str(target.relative_to(PACKAGE)))
            if "--check" not in sys.argv:
                target.write_text(text)
    if stale and "--check" in sys.argv:
        print(f"run python tools/write_sync.py, and commit: {', '.join(stale)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
