"""The history of a world as text, for the output of a failing test."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from ._connection import Connection

TRANSACTIONS = 5
REQUESTS = 5


class Story:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def text(self) -> str:
        clock = self._ask("/sandbox/clock")
        lines = [f"The world's time is {clock['now']}, {_pace(clock['speed'])}."]
        transactions = self._ask("/sandbox/transactions", limit=TRANSACTIONS)["transactions"]
        for transaction in reversed(transactions):
            lines += ["", *self._of(transaction)]
        refused = [each for each in self._ask("/sandbox/requests", limit=100)["requests"] if (each["status"] or 0) >= 400]
        if refused:
            lines += ["", "Rejected requests:"]
            lines += [f"  {_short(each)}" for each in reversed(refused[:REQUESTS])]
        if not transactions and not refused:
            lines += ["No request reached the service in this world: does your application use its address and credentials?"]
        return "\n".join(lines)

    def _of(self, transaction: dict[str, Any]) -> list[str]:
        told = self._ask(f"/sandbox/transactions/{quote(transaction['reference'], safe='')}/timeline")
        own = f" ({transaction['external_reference']})" if transaction["external_reference"] else ""
        why = f", {transaction['reason']}" if transaction["reason"] else ""
        scenario = f", by the scenario {transaction['scenario']}" if transaction["scenario"] else ""
        amount = f"{transaction['amount']['currency']} {transaction['amount']['amount']:,.2f}"
        lines = [f"{transaction['reference']}{own}: {amount}, {told['status']}{why}{scenario}"]
        lines += _events(told["events"])
        lines += [f"  {_time(each['due_at'])}  planned   {each['kind']} {each['outcome']}".rstrip() for each in told["planned"]]
        for callback in dict.fromkeys(each["callback"] for each in told["events"] if each["callback"]):
            attempts = self._ask(f"/sandbox/callbacks/{callback}")["attempts"]
            if attempts and attempts[-1]["advice"]:
                lines.append(f"  callback {callback}: {attempts[-1]['advice']}")
        return lines

    def _ask(self, path: str, **query: Any) -> Any:
        return self._connection.ask("GET", path, query=query)


def _events(events: list[dict[str, Any]]) -> list[str]:
    """Returns one line per event; equal attempts share two lines."""
    lines: list[str] = []
    same, more = None, 0
    for each in events:
        summary = each["summary"].split("; next attempt ")[0]
        now = (each["kind"], each["callback"], summary)
        if each["kind"] != "attempt" or now != same:
            same, more = now, 0
            lines.append(f"  {_time(each['at'])}  {each['kind']:<9} {summary}")
            continue
        # The previous line is the first attempt, or the count of the others.
        more += 1
        lines[len(lines) - (more > 1) :] = [f"  {_time(each['at'])}  attempt   the same, {more} more until then"]
    return lines


def _short(request: dict[str, Any]) -> str:
    answer = request["response"] if isinstance(request["response"], dict) else {}
    return f"{request['id']}: {request['method']} {request['path']} answered {request['status']}: {answer.get('error_message', '')}".rstrip(": ")


def _time(at: str) -> str:
    return at[11:23].rstrip("Z")


def _pace(factor: float) -> str:
    if factor == 0:
        return "and the clock is frozen: nothing happens until you advance or settle it"
    return "in real time" if factor == 1 else f"{factor:g} times as fast as real time"
