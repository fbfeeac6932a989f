"""Runs `payments-sandbox dev` at a pseudo-terminal next to a shop that fails, is mended, and succeeds, and prints the recording.

Usage: record.py SECONDS COMMAND…   SECONDS is how long the recording takes at least.
"""

import os
import pty
import re
import select
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

STEPS = 9
PACE, COMMAND = float(sys.argv[1]) / STEPS, sys.argv[2:]


class Shop(BaseHTTPRequestHandler):
    is_mended = False

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(204 if Shop.is_mended else 500)
        self.end_headers()
        if not Shop.is_mended:
            self.wfile.write(b"TypeError: Cannot read properties of undefined (reading 'total')")

    def log_message(self, *_):
        pass


def serve(port):
    server = ThreadingHTTPServer(("127.0.0.1", port), Shop)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


shop = serve(0)
port = shop.server_address[1]
pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(TERM="dumb", NO_COLOR="1", SANDBOX_SETTLE_AFTER="500ms")
    os.execvp(COMMAND[0], [*COMMAND, "dev", "--port", "0", "--forward-to", f"localhost:{port}/callback"])

began = time.monotonic()
printed = ""
seen = 0


def read(timeout):
    """Returns whether the program still runs."""
    global printed
    if not select.select([terminal], [], [], timeout)[0]:
        return True
    try:
        data = os.read(terminal, 65_536)
    except OSError:
        return False
    text = data.decode().replace("\r", "")
    # One line for each event, with the seconds since the start.
    sys.stdout.write(re.sub(r"^(?=.)", f"{time.monotonic() - began:4.0f} s  ", text, flags=re.M) if printed.endswith("\n") or not printed else text)
    sys.stdout.flush()
    printed += text
    return bool(data)


def expect(*texts):
    """Waits until the texts are printed after those of the last call."""
    global seen
    end = time.monotonic() + 60
    while time.monotonic() < end:
        at = [printed.find(text, seen) for text in texts]
        if min(at) >= 0:
            seen = max(place + len(text) for place, text in zip(at, texts))
            return
        if not read(0.1):
            break
    os.kill(pid, 15)
    sys.exit(f"\n{texts} is missing after: {printed[seen:]!r}")


def press(keys):
    pause = time.monotonic() + PACE
    while time.monotonic() < pause:
        read(0.05)
    note(f"(keys: {keys.strip()})")
    os.write(terminal, keys.encode())


def note(text):
    sys.stdout.write(f"{time.monotonic() - began:4.0f} s  {text}\n")


expect("keys: p pay")
press("p")
expect("SUCCESS  callback 500  TypeError: Cannot read properties of undefined (reading 'total')")
press("e")
expect("callback 1 of pay-1 to", "500 TypeError")
press("opayer-cancels\r")
expect("then Enter:\npayer-cancels\nnext payment: payer-cancels (The payer cancels the prompt)")
press("p")
expect("payer-cancels  FAILED  callback 500")
note("(the shop stops)")
shop.shutdown()
shop.server_close()
press("p")
expect("is down; its callbacks wait until it is back")
note("(the shop is mended, and starts)")
Shop.is_mended = True
shop = serve(port)
# A retry of the last payment may arrive before dev has seen that the shop is back.
expect("is back; ")
for reference in ("pay-1", "pay-2", "pay-3"):
    while not re.search(f"{reference}  .*callback 204", printed):
        read(0.1)
last = printed.count("callback 204")
press("r")
while printed.count("callback 204") == last:
    read(0.1)
press("q")
while read(1):
    pass
if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0:
    sys.exit("dev did not end with 0")
if "Error:" in printed.replace("TypeError:", ""):
    sys.exit("dev prints an error")
if printed.count("is down") != 1:
    sys.exit("dev reports more than once that the shop is down")
