"""How a sandbox is started: by a command, or in a container of docker or podman, whose place a script takes here."""

import json
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from payments_sandbox import NoSandbox, Sandbox, SandboxError, __version__, _start

COMMAND = os.environ.get("PAYMENTS_SANDBOX_COMMAND", "")
needs_command = pytest.mark.skipif(not COMMAND, reason="PAYMENTS_SANDBOX_COMMAND is not set")


@needs_command
def test_the_command_is_found_where_npm_put_it_and_ended_with_the_sandbox(monkeypatch, tmp_path):
    binary = tmp_path / "node_modules" / ".bin" / "payments-sandbox"
    binary.parent.mkdir(parents=True)
    binary.write_text(f"#!/bin/sh\n# A shell between, as npx is one.\n{COMMAND} \"$@\"\n")
    binary.chmod(0o755)
    (tmp_path / "tests" / "unit").mkdir(parents=True)
    for name in ("PAYMENTS_SANDBOX_COMMAND", "PAYMENTS_SANDBOX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path / "tests" / "unit")
    with Sandbox.start({"SANDBOX_SETTLE_AFTER": "7s"}) as sandbox, sandbox.world() as world:
        settings = world.call("getWorld", world="current")["settings"]
        assert settings["settle_after"] == "7s"
    with pytest.raises(NoSandbox, match="no sandbox answers"):
        sandbox.world()


@needs_command
def test_the_sandbox_ends_with_a_process_that_is_killed():
    program = "from payments_sandbox import Sandbox; print(Sandbox.start().url, flush=True); input()"
    environment = {name: value for name, value in os.environ.items() if name != "PAYMENTS_SANDBOX_URL"}
    with subprocess.Popen([sys.executable, "-c", program], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        url = process.stdout.readline().strip()
        assert _start._ready(url)
        process.kill()
    end = time.monotonic() + 20
    while _start._ready(url) and time.monotonic() < end:
        time.sleep(0.05)
    assert not _start._ready(url)


ENGINE = """#!{python}
import json, os, subprocess, sys
folder = os.path.dirname(os.path.abspath(__file__))
open(folder + "/calls", "a").write(json.dumps(sys.argv[1:]) + "\\n")
if sys.argv[1] == "run":
    print("0123456789ab")
if sys.argv[1] == "inspect":
    print(json.dumps([{{"NetworkSettings": {{"Ports": {{"8080/tcp": [{{"HostPort": "{port}"}}]}}}}}}]))
"""


@pytest.mark.parametrize("name", ["docker", "podman"])
def test_a_container_is_started_so_that_it_finds_receivers_and_stopped(sandbox, monkeypatch, tmp_path, name):
    engine = tmp_path / name
    engine.write_text(ENGINE.format(python=sys.executable, port=sandbox.url.rsplit(":", 1)[1]))
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PAYMENTS_SANDBOX_IMAGE", "registry.test/payments-sandbox:1.2.3")
    for unset in ("PAYMENTS_SANDBOX_COMMAND", "PAYMENTS_SANDBOX_URL"):
        monkeypatch.delenv(unset, raising=False)
    with Sandbox.start({"SANDBOX_SETTLE_AFTER": "0"}) as started, started.world() as world:
        assert world.listen.__self__._reach.receiver(None, None) == ("0.0.0.0", "127.0.0.1")
    calls = (tmp_path / "calls").read_text()
    assert '"--env", "SANDBOX_SETTLE_AFTER=0", "registry.test/payments-sandbox:1.2.3"]' in calls
    assert ("host.docker.internal:host-gateway" in calls) == (name == "docker")
    assert ("SANDBOX_CALLBACK_REWRITE=localhost=host.containers.internal" in calls) == (name == "podman")
    assert '["stop", "--time", "3", "0123456789ab"]' in calls


def test_a_docker_without_its_daemon_is_passed_over(monkeypatch, tmp_path):
    for name, code in (("docker", 1), ("podman", 0)):
        (tmp_path / name).write_text(f"#!/bin/sh\nexit {code}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert list(_start._engines()) == [str(tmp_path / "podman")]


def test_an_engine_that_fails_says_why(monkeypatch, tmp_path):
    engine = tmp_path / "docker"
    engine.write_text("#!/bin/sh\necho 'Cannot connect to the Docker daemon' >&2\nexit 1\n")
    engine.chmod(0o755)
    with pytest.raises(NoSandbox, match="Cannot connect to the Docker daemon"):
        _start.by_container(str(engine), "payments-sandbox", {})


def test_a_password_of_its_own(sandbox, monkeypatch):
    monkeypatch.setenv("PAYMENTS_SANDBOX_URL", sandbox.url)
    monkeypatch.setenv("PAYMENTS_SANDBOX_PASSWORD", "wrong")
    with pytest.raises(SandboxError) as refused:
        Sandbox.start().world()
    assert refused.value.status == 401


def test_an_older_sandbox_is_named_with_both_versions():
    class Older(BaseHTTPRequestHandler):
        def do_GET(self):
            is_version = self.path == "/__admin/version"
            body = {"version": "0.0.9"} if is_version else {"error_code": "resource_not_found", "error_message": f"path {self.path} was not found"}
            self.send_response(200 if is_version else 404)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        do_POST = do_GET

        def log_message(self, format, *args):
            pass

    with HTTPServer(("127.0.0.1", 0), Older) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(SandboxError, match=f"the sandbox is 0.0.9 and this client is {__version__}"):
            Sandbox(f"http://127.0.0.1:{server.server_port}").world()
        server.shutdown()


def test_an_address_that_is_none(monkeypatch):
    monkeypatch.setenv("PAYMENTS_SANDBOX_URL", "localhost:8080")
    with pytest.raises(NoSandbox, match='must be an address such as http://127.0.0.1:8080, got "localhost:8080"'):
        Sandbox.start()


@needs_command
def test_a_receiver_that_is_not_there_is_looked_for_on_this_machine_alone():
    payment = {"account_id": 63, "amount": 100, "phone_number": "0712345678", "provider": "m-pesa", "network_code": "63902",
               "external_reference": "order-1", "callback_url": "http://127.0.0.1:9/"}
    with Sandbox.start() as sandbox, sandbox.world(clock="frozen") as world:
        world.call("createCollection", payment)
        world.settle()
        callback = world.wait_for_callback("order-1", state="final")
        assert callback.attempts[0]["error"] == "connection refused: nothing listens at 127.0.0.1:9"


def test_the_blocking_client_is_what_the_asynchronous_one_makes():
    script = os.path.join(os.path.dirname(__file__), "..", "tools", "write_sync.py")
    checked = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
