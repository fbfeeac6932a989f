"""A little shop in plain Python; it knows the service's address and credentials, nothing of a sandbox."""

import base64
import hashlib
import hmac
import json
import sqlite3
import threading
import time
import urllib.error
import urllib.request


TOLERANCE = 300
"""How old a callback may be, seconds: an old one may have been recorded and sent again by somebody."""

LOOKS = 12
"""How often the service is asked what became of a payment: after 2 s, 4 s, 8 s and so on, two hours in all."""


def is_genuine(headers, body, secret, now=None):
    """Whether a callback is the service's own: its signature is of these very bytes, and it is new."""
    event, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()) or abs((now or time.time()) - int(timestamp)) > TOLERANCE:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    own = hmac.new(key, f"{event}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(own).decode()
    # While a secret is rotated there are several, separated by spaces.
    sent = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(each.encode(), expected.encode()) for each in sent)


def next_state(order, status, amount, currency, reference):
    """What a result makes of an order: nothing undoes a reversal, and only a reversal undoes what is paid."""
    if "reversed" in (order["state"], status):
        return "reversed"
    if order["state"] == "paid":
        return "paid"
    if status == "success":
        # Rightly signed, but not what was asked for, or another payment: somebody has to look at it.
        is_it = None in (order["reference"], reference) or reference == order["reference"]
        return "paid" if is_it and (amount, currency) == (order["amount"], order["currency"]) else "disputed"
    # A success may still come late. Of other statuses, such as queued and those that are new, nothing follows.
    return "unpaid" if status == "failed" else order["state"]


class Shop:
    def __init__(self, base_url, username, password, callback_url, secret, database=":memory:"):
        self.base_url = base_url
        token = base64.b64encode(f"{username}:{password}".encode()).decode()
        self.headers = {
            "Authorization": f"Basic {token}",
            "Content-Type": "application/json",
            "User-Agent": "little-shop/1.0",
        }
        self.callback_url = callback_url
        self.secret = secret
        self.lock = threading.RLock()
        self.database = sqlite3.connect(database, check_same_thread=False)
        self.database.row_factory = sqlite3.Row
        self.database.executescript("""
            CREATE TABLE IF NOT EXISTS orders (
              id TEXT PRIMARY KEY, amount NUMERIC, currency TEXT, state TEXT DEFAULT 'waiting', receipts INTEGER DEFAULT 0,
              looks INTEGER DEFAULT 0, look_at REAL, reference TEXT);
            CREATE TABLE IF NOT EXISTS taken (callback TEXT PRIMARY KEY);
        """)

    def sql(self, statement, *values):
        return self.database.execute(statement, values)

    def order(self, order):
        with self.lock:
            return self.sql("SELECT * FROM orders WHERE id = ?", order).fetchone()

    def _ask(self, path, body):
        request = urllib.request.Request(
            self.base_url + path, json.dumps(body).encode(), self.headers, method="POST"
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def checkout(self, order, amount, phone):
        # Before it is asked for: the callback may come before the answer.
        with self.lock, self.database:
            placed = (order, amount, "KES", time.time() + 2)
            # A second press finds the order and never pays again.
            added = self.sql("INSERT OR IGNORE INTO orders (id, amount, currency, look_at) VALUES (?, ?, ?, ?)", *placed)
        if added.rowcount == 0:
            return
        try:
            asked = self._ask(
                "/api/v2/payments",
                {
                    "amount": amount,
                    "phone_number": phone,
                    "provider": "m-pesa",
                    "network_code": "63902",
                    "account_id": 63,
                    "external_reference": order,
                    "callback_url": self.callback_url,
                },
            )
            with self.lock, self.database:
                self.sql("UPDATE orders SET reference = ? WHERE id = ?", asked.get("reference"), order)
        except urllib.error.HTTPError as refused:
            # Above, the payment may have been made: it is looked up, never asked for again.
            if refused.code < 500:
                with self.lock, self.database:
                    self.sql("UPDATE orders SET state = 'unpaid' WHERE id = ? AND state = 'waiting'", order)
        except OSError:
            # The answer is lost; the payment may be on its way. Only the service knows.
            self.ask(order)

    def callback(self, headers, body):
        """Takes the bytes that the service posts; returns the status to answer with."""
        if not is_genuine(headers, body, self.secret):
            return 401
        try:
            result = json.loads(body)
            result["external_reference"], result["status"], result["amount"], result["currency"]
        except (ValueError, TypeError, KeyError):
            return 400
        # Kept before it is answered, and each counts once, however often it comes.
        with self.lock, self.database:
            if self.sql("INSERT OR IGNORE INTO taken VALUES (?)", headers["webhook-id"]).rowcount == 1:
                self.take(result)
        return 204

    def take(self, result):
        """A result, whichever way it comes."""
        with self.lock, self.database:
            order = self.order(result["external_reference"])
            told = (result["status"], result["amount"], result["currency"], result.get("reference"))
            state = order and next_state(order, *told)
            if order and state != order["state"]:
                # Here goods are handed out, once.
                receipts = order["receipts"] + (state == "paid")
                self.sql("UPDATE orders SET state = ?, receipts = ? WHERE id = ?", state, receipts, order["id"])

    def ask(self, order):
        try:
            self.take(self._ask("/api/global/transaction-status", {"request_id": order}))
        except OSError:
            # Not there, or not now: it is asked again, or told by a callback.
            pass

    def watch(self):
        """Asks for payments of which nobody told, ever more rarely: callbacks get lost. Called every second or so."""
        now = time.time()
        with self.lock, self.database:
            due = self.sql(
                """UPDATE orders SET looks = looks + 1, look_at = ? + (4 << looks)
                   WHERE state = 'waiting' AND look_at <= ? AND looks < ? RETURNING id""",
                *(now, now, LOOKS),
            ).fetchall()
        for order in due:
            self.ask(order["id"])
