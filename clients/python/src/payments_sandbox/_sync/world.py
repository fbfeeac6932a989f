# Written by tools/write_sync.py from _async; edit that one.
"""An isolated copy of the service behind one API key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import EllipsisType, TracebackType
from typing import TYPE_CHECKING, Any

from .._callback import Callback
from .._connection import Answer, Connection
from .._errors import SandboxError, suggestion
from .._operations import Operations
from .._payment import Payment, PaymentOptions
from .._receiver import Handler, Listener
from .._reach import Reach
from .._story import Story
from .ask import Ask, Duration, duration, part, reference_of
from .callbacks import Callbacks
from .clock import Clock
from .inbox import Inbox
from .receiver import Receiver
from .requests import Requests
from .scenarios import Scenarios
from .transport import in_thread

if TYPE_CHECKING:
    from typing_extensions import Unpack

# Hides these frames in the traceback of a failing test.
__tracebackhide__ = True


class World:
    """A world: the credentials for the integration under test, and the controls for the test."""

    def __init__(self, connection: Connection, made: Mapping[str, Any], operations: Operations, reach: Reach) -> None:
        """Use ``sandbox.world()`` to create a world.

        :param made: the response that created the world
        """
        self._connection = connection
        self._made = made
        self._operations = operations
        self._reach = reach
        self._ask = Ask(connection)
        self._secrets: list[str] = [made["signing_secret"]]
        self.id: str = made["world"]["id"]
        self.inbox_url: str = made["inbox_url"]
        """A ``callback_url`` in the sandbox; ``inbox.messages()`` lists the callbacks it receives."""
        self.clock = Clock(self._ask)
        self.scenarios = Scenarios(self._ask)
        self.callbacks = Callbacks(self._ask)
        self.requests = Requests(self._ask)
        self.inbox = Inbox(self._ask)

    @classmethod
    def of(cls, world: Any) -> World:
        """Creates a client of the same world from its blocking or asynchronous client."""
        twin = cls(world._connection, world._made, world._operations, world._reach)
        twin._secrets = world._secrets
        return twin

    # Configuration of the integration.

    @property
    def url(self) -> str:
        """The service's base URL."""
        return self._connection.url

    @property
    def username(self) -> str:
        return self._connection.username

    @property
    def password(self) -> str:
        return self._connection.password

    @property
    def auth(self) -> tuple[str, str]:
        """The credentials in the form that requests and httpx accept."""
        return (self.username, self.password)

    @property
    def authorization(self) -> str:
        """The value of the header ``Authorization``."""
        return self._connection.authorization

    @property
    def secret(self) -> str:
        """The secret that signs the callbacks, ``whsec_…``."""
        return self._secrets[0]

    def rotate_secret(self, overlap: Duration | None = None) -> str:
        """Creates a new secret. During the overlap, on the world's clock, callbacks have signatures of both."""
        body = {} if overlap is None else {"overlap": duration(overlap)}
        answer = self._ask("POST", "/sandbox/signing-secret", body)
        self._secrets.insert(0, answer["secret"])
        return self.secret

    # Payments.

    def pay(self, **options: Unpack[PaymentOptions]) -> Payment:
        """Makes a payment. Everything has a default: 1000 by mobile money in Kenya, with the inbox of this world as ``callback_url``.

        :param options: such as ``outcome="payer-cancels"``; see ``PaymentOptions``
        :raises SandboxError: if the service rejects the payment, or the outcome does not exist
        """
        return self._paid(options)

    def pay_out(self, **options: Unpack[PaymentOptions]) -> Payment:
        """Makes a payout, with the options of ``pay``."""
        return self._paid({"direction": "payout", **options})

    def _paid(self, given: Mapping[str, Any]) -> Payment:
        made = self._ask("POST", "/sandbox/payments/prepare", given)
        headers = {"Content-Type": "application/json", **made["headers"]}
        answer = in_thread(self._connection.accepted, made["method"], made["path"], made["body"], None, headers)
        return Payment.of(made, answer)

    def callback(self, payment: Payment | str, *, timeout: Duration = 4) -> Callback:
        """Waits in real time for the newest delivered callback of a payment, and verifies its signature.

        :param payment: a payment, or any identifier of it, such as your own reference
        :raises SandboxError: 504 if it does not arrive, with the reason
        :raises TypeError: for anything else, such as a coroutine without ``await``
        """
        found = self.wait_for_callback(reference_of(payment), timeout=timeout)
        sent = {"headers": found.headers, "body": found.raw.decode(), "url": found.url}
        return replace(found, verified=(self._ask("POST", "/sandbox/signatures/check", sent))["valid"])

    # Test numbers.

    def number_for(self, scenario: str, country: str = "KE", *, international: bool = False) -> str:
        """Returns the phone number that triggers a scenario, such as ``0700000002`` for ``payer-cancels``.

        :param country: ISO 3166-1, such as ``UG``
        :param international: with the dial code, without a plus sign
        """
        numbers = {each["country"]: each for each in (self._outcome_numbers(scenario))["numbers"]}
        if country not in numbers:
            raise ValueError(f"number_for: no number of {country}{suggestion(country, numbers)}")
        number: str = numbers[country]["number" if international else "local"]
        return number

    def account_for(self, scenario: str) -> str:
        """Returns the bank account that triggers a scenario, the same in every country and bank."""
        account: str = (self._outcome_numbers(scenario))["account"]
        return account

    def _outcome_numbers(self, scenario: str) -> dict[str, Any]:
        values = {each["scenario"]: each for each in self.scenarios.test_numbers()}
        if scenario not in values:
            outcomes = {alias: each["name"] for each in self.scenarios.list() for alias in each["aliases"]}
            scenario = outcomes.get(scenario, scenario)
        if scenario not in values:
            raise ValueError(f"no number means {scenario}{suggestion(scenario, values)}")
        return values[scenario]

    # Control.

    def scenario(self, name: str) -> None:
        """Turns a scenario on for every matching request."""
        self.scenarios.on(name)

    def settle(self, within: Duration | None = None) -> dict[str, Any]:
        """Runs all pending jobs, moving the clock to each: transactions settle, callbacks and retries are sent.

        :param within: only jobs that are due within this duration
        :return: ``jobs``, the jobs that ran in order, and the ``clock``
        """
        query = {"within": None if within is None else duration(within)}
        ran: dict[str, Any] = self._ask("POST", "/sandbox/settle", query=query)
        return ran

    def wait_for_callback(
        self, reference: Payment | str | EllipsisType = ..., *, state: str = "delivered", timeout: Duration = 10
    ) -> Callback:
        """Waits in real time for the newest delivered callback.

        :param reference: any identifier of its transaction, including your own reference; by default, any transaction
        :param state: ``delivered``, ``failed`` or ``final``, which means either
        :raises SandboxError: 504 if it does not arrive in time, with the received callbacks and the schedule
        """
        return (self.callbacks.wait(reference, state=state, timeout=timeout))[-1]

    def listen(
        self, handler: Handler | None = None, *, check: bool = True, bind: str | None = None, host: str | None = None
    ) -> Receiver:
        """Starts a receiver in a thread of this process, on a free port. Send its ``url`` as ``callback_url``.

        :param handler: called with each callback in that thread; may return the response status, 204 by default
        :param check: whether callbacks with invalid signatures get 401 without a call of the handler
        :param bind: the address to listen at; loopback by default, or all addresses if the sandbox runs in a container
        :param host: the host name of this machine for the sandbox; by default ``PAYMENTS_SANDBOX_CALLBACK_HOST``
        """
        if handler is not None and not callable(handler):
            raise TypeError(f"listen takes a function, got {handler!r}")
        bind, host = self._reach.receiver(bind, host)
        return Receiver(Listener(lambda: list(self._secrets), handler, check, bind, host))

    # Observation.

    def transactions(self, **filter: Any) -> list[dict[str, Any]]:
        """Lists them, newest first.

        :param filter: ``status``, ``reference``, ``reason``, ``direction`` and the other filters of ``GET /sandbox/transactions``
        """
        return self._ask.all("/sandbox/transactions", "transactions", filter)

    def transaction(self, reference: Payment | str) -> dict[str, Any]:
        """Returns a transaction with its states, callbacks, pending work and scenario."""
        found: dict[str, Any] = self._ask("GET", f"/sandbox/transactions/{part(reference_of(reference))}")
        return found

    def timeline(self, reference: Payment | str) -> dict[str, Any]:
        """Returns the timeline of a transaction and its pending work."""
        told: dict[str, Any] = self._ask("GET", f"/sandbox/transactions/{part(reference_of(reference))}/timeline")
        return told

    def balance(self, account: str) -> float:
        """Returns the balance of a ledger account such as ``team:63:wallet``, in major units."""
        answer = self._ask("GET", "/sandbox/ledger", query={"account": account, "limit": 1})
        balance: float = answer["balances"][0]["balance"]
        return balance

    def story(self) -> str:
        """Returns the history of this world as text, which failing tests print."""
        return in_thread(Story(self._connection).text)

    # Snapshots and reset.

    def snapshot(self, name: str | None = None) -> int:
        """Takes a snapshot. Returns the id to restore it with."""
        made: int = (self._ask("POST", "/sandbox/snapshots", {} if name is None else {"name": name}))["id"]
        return made

    def restore(self, snapshot: int) -> None:
        self._ask("POST", f"/sandbox/snapshots/{part(snapshot)}/restore")

    def reset(self) -> None:
        """Resets the world to its seed."""
        self._ask("POST", "/sandbox/reset")

    def configure(self, **settings: Any) -> None:
        """Changes settings of this world, such as ``settle_after="500ms"`` or ``retry_profile="svix"``."""
        self._ask("PATCH", "/sandbox/worlds/current", settings)

    # Other operations.

    def call(
        self, operation: str, body: Any = None, /, *, headers: Mapping[str, str] | None = None, **parameters: Any
    ) -> Any:
        """Calls any operation of the service or of the control API by name: ``call("getCallback", id=12)``.

        :param body: sent as JSON; text is sent unchanged
        :param parameters: path and query parameters; use ``from_`` for ``from``
        :raises TypeError: for unknown names, with the nearest valid one
        :raises SandboxError: for a status of 400 or higher
        """
        place = in_thread(self._operations.place, operation)
        path, query = place.with_parameters(parameters)
        return self._ask(place.method, path, body, query, headers)

    def request(
        self, method: str, path: str, body: Any = None, *, headers: Mapping[str, str] | None = None, **query: Any
    ) -> Answer:
        """Sends a request with this world's credentials. Returns the response whatever its status."""
        return in_thread(self._connection.send, method, path, body, query, headers)

    def delete(self) -> None:
        """Deletes the world; a deleted world is not an error."""
        try:
            self._ask("DELETE", "/sandbox/worlds/current")
        except SandboxError as refused:
            if refused.status not in (401, 404):
                raise

    def __enter__(self) -> World:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.delete()
