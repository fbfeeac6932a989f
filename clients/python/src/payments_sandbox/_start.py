"""Starts a sandbox, or connects to a running one."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from . import _server
from ._errors import NoSandbox

IMAGE = "payments-sandbox"
PORT = 8080
PATIENCE = 120
"""Seconds that a sandbox may take to start, including the download of an image."""

HOW = """Any of these will do:
  PAYMENTS_SANDBOX_URL=http://127.0.0.1:8080   one that runs already (PAYMENTS_SANDBOX_USERNAME and _PASSWORD when it is not demo/demo)
  PAYMENTS_SANDBOX_COMMAND='npx --no -- payments-sandbox'   a command that starts one
  PAYMENTS_SANDBOX_IMAGE=payments-sandbox   an image, for docker or podman
  npm install --save-dev ./payments-sandbox-0.1.0.tgz   the command where it is found by itself
  docker build -t payments-sandbox .   the image where it is found by itself"""


UNTIL_PARENT_ENDS = """exec 3<&0
"$@" 3<&- </dev/null &
pid=$!
end() { for child in $(pgrep -P "$1"); do end "$child"; done; kill -TERM "$1" 2>/dev/null; }
{ while read -r _; do :; done <&3; end $pid; } >/dev/null 2>&1 &
wait $pid"""
"""Runs a command until standard input closes, which happens however the process of the tests ends."""


@dataclass(frozen=True)
class Running:
    url: str
    stop: Callable[[], None] | None = None
    in_container: bool = False
    username: str = "demo"
    password: str = "demo"


def start(settings: Mapping[str, str]) -> Running:
    """:raises NoSandbox: with the attempts and the remedies"""
    told = os.environ.get
    username, password = told("PAYMENTS_SANDBOX_USERNAME") or "demo", told("PAYMENTS_SANDBOX_PASSWORD") or "demo"
    if url := told("PAYMENTS_SANDBOX_URL"):
        if not re.match(r"https?://[^/]", url):
            raise NoSandbox(f'PAYMENTS_SANDBOX_URL must be an address such as http://127.0.0.1:8080, got "{url}"')
        return Running(url, username=username, password=password)
    if command := told("PAYMENTS_SANDBOX_COMMAND"):
        return by_command(shlex.split(command), settings)
    if image := told("PAYMENTS_SANDBOX_IMAGE"):
        engine = next(_engines(), None)
        if engine is None:
            raise NoSandbox(f"PAYMENTS_SANDBOX_IMAGE is {image}, and neither docker nor podman answers.\n{HOW}")
        return by_container(engine, image, settings)
    if found := _server.command() or installed():
        return by_command(found, settings)
    for engine in _engines():
        if _quiet(engine, "image", "inspect", IMAGE):
            return by_container(engine, IMAGE, settings)
    if _server.is_carried():
        raise NoSandbox(_server.INSTALL)
    raise NoSandbox(
        f"there is no sandbox: no payments-sandbox on the PATH or in node_modules, no image {IMAGE} of docker or podman.\n{HOW}"
    )


def installed() -> list[str] | None:
    """Returns the installed command, if any. Nothing is downloaded: plain npx would download any package of that name."""
    if (found := shutil.which("payments-sandbox")) and not _server.is_own(found):
        return [found]
    folder = os.getcwd()
    while True:
        if found := shutil.which("payments-sandbox", path=os.path.join(folder, "node_modules", ".bin")):
            return [found]
        if folder == os.path.dirname(folder):
            return None
        folder = os.path.dirname(folder)


def by_command(command: list[str], settings: Mapping[str, str]) -> Running:
    """Starts it on a free port."""
    told = {"SANDBOX_PORT": "0", "SANDBOX_HOST": "127.0.0.1", "SANDBOX_LOG_LEVEL": "warn", **settings}
    # If this runs in a container, the receivers of the tests run in the same one.
    environment = {"SANDBOX_IN_CONTAINER": "off", **os.environ, **told}
    # A file, because an unread pipe would block the process.
    output = tempfile.TemporaryFile()
    shell = shutil.which("sh")
    if shutil.which(command[0]) is None:
        raise NoSandbox(f"{shlex.join(command)} could not be started: there is no command {command[0]}\n{HOW}")
    try:
        process = subprocess.Popen(
            # In its own process group: the tests stop it, not Ctrl-C.
            [shell, "-c", UNTIL_PARENT_ENDS, "sh", *command] if shell else command,
            env=environment, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    except OSError as error:
        raise NoSandbox(f"{shlex.join(command)} could not be started: {error}\n{HOW}") from error

    def stop() -> None:
        _end(process)
        output.close()
        if process.stdin:
            process.stdin.close()

    def printed() -> str:
        output.seek(0)
        return output.read().decode(errors="replace")

    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        ended = process.poll() is not None
        if found := re.search(r"https?://127\.0\.0\.1:\d+", printed()):
            url = found.group()
            if not ended and _ready(url):
                return Running(url, stop)
        if ended:
            break
        time.sleep(0.05)
    said, when = printed(), f" within {PATIENCE} s" if process.poll() is None else ""
    stop()
    raise NoSandbox(f"{shlex.join(command)} started no sandbox{when}. It said:\n{said[-2000:] or '(nothing)'}")


def by_container(engine: str, image: str, settings: Mapping[str, str]) -> Running:
    """Starts it on a free port, so that it reaches receivers on this machine."""
    is_podman = "podman" in os.path.basename(engine)
    # Docker on Linux needs the host name; Podman defines one.
    host = [] if is_podman else ["--add-host", "host.docker.internal:host-gateway"]
    told = {"SANDBOX_CALLBACK_REWRITE": "localhost=host.containers.internal", **settings} if is_podman else settings
    variables = [each for name, value in told.items() for each in ("--env", f"{name}={value}")]
    run = [engine, "run", "--rm", "--detach", "--publish", f"127.0.0.1::{PORT}", *host, *variables, image]
    started = subprocess.run(run, capture_output=True, text=True)
    if started.returncode != 0:
        raise NoSandbox(f"{shlex.join(run)} failed: {started.stderr.strip()[-2000:]}\n{HOW}")
    container = started.stdout.strip().splitlines()[-1]

    def stop() -> None:
        subprocess.run([engine, "stop", "--time", "3", container], capture_output=True)

    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        shown = subprocess.run([engine, "inspect", container], capture_output=True, text=True)
        if shown.returncode != 0:
            raise NoSandbox(f"the container of {image} ended before it was ready; try {shlex.join([*run[:2], image])}")
        ports = json.loads(shown.stdout)[0]["NetworkSettings"]["Ports"].get(f"{PORT}/tcp")
        if ports and _ready(url := f"http://127.0.0.1:{ports[0]['HostPort']}"):
            return Running(url, stop, in_container=True)
        time.sleep(0.1)
    stop()
    raise NoSandbox(f"the container of {image} was not ready within {PATIENCE} s")


def _engines() -> Iterator[str]:
    """Returns the engines that respond: docker is often installed without its daemon."""
    for name in ("docker", "podman"):
        if (found := shutil.which(name)) and _quiet(found, "ps", "--quiet"):
            yield found


def _quiet(*command: str) -> bool:
    return subprocess.run(command, capture_output=True).returncode == 0


def _ready(url: str) -> bool:
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"{url}/readyz", timeout=2) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stops the process and its children, because npx and shells do not always stop theirs."""
    if not hasattr(os, "killpg"):
        process.terminate()
        process.wait()
        return
    end = time.monotonic() + 10
    kind = signal.SIGTERM
    try:
        os.killpg(process.pid, kind)
        while True:
            process.poll()
            # Signal 0 only checks whether the group exists.
            os.killpg(process.pid, 0)
            if time.monotonic() > end and kind != signal.SIGKILL:
                kind = signal.SIGKILL
                os.killpg(process.pid, kind)
            time.sleep(0.02)
    except (ProcessLookupError, PermissionError):
        process.wait()
