"""A little shop in plain Python; it knows the service's address and credentials, nothing of a sandbox."""

import base64
import hashlib
import hmac
import json
import time
import urllib.error
import urllib.request


TOLERANCE = 300
"""How old a callback may be, seconds: an old one may have been recorded and sent again by somebody."""


def is_genuine(headers, body, secret, now=None):
    """Whether a callback is the service's own: its signature is of these very bytes, and it is new."""
    event, timestamp = headers.get("webhook-id"), headers.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()) or abs((now or time.time()) - int(timestamp)) > TOLERANCE:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    own = hmac.new(key, f"{event}.{timestamp}.{body}".encode(), hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(own).decode()
    # While a secret is rotated there are several, separated by spaces.
    sent = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(each.encode(), expected.encode()) for each in sent)


class Shop:
    def __init__(self, base_url, username, password, callback_url, secret):
        self.base_url = base_url
        token = base64.b64encode(f"{username}:{password}".encode()).decode()
        self.headers = {"Authorization": f"Basic {token}", "Content-Type": "application/json"}
        self.callback_url = callback_url
        self.secret = secret
        self.orders = {}
        # The ids of callbacks that were taken: each counts once, however often it comes.
        self.taken = set()

    def _ask(self, path, body):
        request = urllib.request.Request(
            self.base_url + path, json.dumps(body).encode(), self.headers, method="POST"
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def checkout(self, order, amount, phone):
        self.orders[order] = {"state": "waiting", "receipts": 0, "amount": amount, "currency": "KES"}
        try:
            self._ask(
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
        except urllib.error.HTTPError:
            raise
        except OSError:
            # The answer is lost; the payment may be on its way. Only the service knows.
            self.ask(order)

    def callback(self, headers, body):
        """Takes what the service posts; returns the status to answer with."""
        if not is_genuine(headers, body, self.secret):
            return 401
        if headers["webhook-id"] not in self.taken:
            self.take(json.loads(body))
            self.taken.add(headers["webhook-id"])
        return 204

    def take(self, result):
        """A final result counts once, whichever way and however often it comes; one of another amount pays nothing."""
        order = self.orders.get(result["external_reference"])
        if order is None or order["state"] == "paid" or result["status"] == "queued":
            return
        if result["status"] == "success":
            if (result["amount"], result["currency"]) != (order["amount"], order["currency"]):
                order["state"] = "disputed"
                return
            order["state"] = "paid"
            order["receipts"] += 1
        else:
            order["state"] = "unpaid"

    def ask(self, order):
        self.take(self._ask("/api/global/transaction-status", {"request_id": order}))
