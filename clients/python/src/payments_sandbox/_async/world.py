"""A world: a whole service of its own, behind one API key."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any

from .._callback import Callback
from .._connection import Answer, Connection
from .._errors import SandboxError, suggestion
from .._operations import Operations
from .._receiver import Handler, Listener
from .._reach import Reach
from .._story import Story
from .ask import AsyncAsk, Duration, duration, part
from .callbacks import AsyncCallbacks
from .clock import AsyncClock
from .inbox import AsyncInbox
from .receiver import AsyncReceiver
from .requests import AsyncRequests
from .scenarios import AsyncScenarios
from .transport import in_thread

# Tests that fail show their own lines, not these.
__tracebackhide__ = True


class AsyncWorld:
    """A world of a sandbox: what the integration under test is given, and what a test does with it."""

    def __init__(self, connection: Connection, made: Mapping[str, Any], operations: Operations, reach: Reach) -> None:
        """Worlds come from ``sandbox.world()``.

        :param made: what the sandbox answered when it was made
        """
        self._connection = connection
        self._made = made
        self._operations = operations
        self._reach = reach
        self._ask = AsyncAsk(connection)
        self._secrets: list[str] = [made["signing_secret"]]
        self.id: str = made["world"]["id"]
        self.inbox_url: str = made["inbox_url"]
        """A ``callback_url`` within the sandbox; what comes there is in ``inbox.messages()``."""
        self.clock = AsyncClock(self._ask)
        self.scenarios = AsyncScenarios(self._ask)
        self.callbacks = AsyncCallbacks(self._ask)
        self.requests = AsyncRequests(self._ask)
        self.inbox = AsyncInbox(self._ask)

    @classmethod
    def of(cls, world: Any) -> AsyncWorld:
        """The same world, taken from its blocking or its asynchronous client."""
        twin = cls(world._connection, world._made, world._operations, world._reach)
        twin._secrets = world._secrets
        return twin

    # What the integration is configured with.

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
        """As requests and httpx take it."""
        return (self.username, self.password)

    @property
    def authorization(self) -> str:
        """The value of the header ``Authorization``."""
        return self._connection.authorization

    @property
    def secret(self) -> str:
        """What its callbacks are signed with, ``whsec_…``."""
        return self._secrets[0]

    async def rotate_secret(self, overlap: Duration | None = None) -> str:
        """Makes a new secret; for the overlap, on the world's clock, callbacks are signed with both."""
        body = {} if overlap is None else {"overlap": duration(overlap)}
        answer = await self._ask("POST", "/sandbox/signing-secret", body)
        self._secrets.insert(0, answer["secret"])
        return self.secret

    # Phone numbers and accounts whose outcome is known.

    async def number_for(self, scenario: str, country: str = "KE", *, international: bool = False) -> str:
        """The phone number that makes this happen, such as ``0700000002`` for ``payer-cancels``.

        :param country: ISO 3166-1, such as ``UG``
        :param international: with the dial code, without a plus sign
        """
        numbers = {each["country"]: each for each in (await self._outcome_numbers(scenario))["numbers"]}
        if country not in numbers:
            raise ValueError(f"number_for: no number of {country}{suggestion(country, numbers)}")
        number: str = numbers[country]["number" if international else "local"]
        return number

    async def account_for(self, scenario: str) -> str:
        """The bank account that makes this happen, the same in every country and at every bank."""
        account: str = (await self._outcome_numbers(scenario))["account"]
        return account

    async def _outcome_numbers(self, scenario: str) -> dict[str, Any]:
        values = {each["scenario"]: each for each in await self.scenarios.test_numbers()}
        if scenario not in values:
            raise ValueError(f"no number means {scenario}{suggestion(scenario, values)}")
        return values[scenario]

    # What happens.

    async def scenario(self, name: str) -> None:
        """Switches a scenario on: it happens to every request that it fits."""
        await self.scenarios.on(name)

    async def settle(self, within: Duration | None = None) -> dict[str, Any]:
        """Runs what is owed, moving the clock: transactions settle, callbacks and their retries leave.

        :param within: only what falls due within this duration
        :return: ``ran``, what ran in order, and the ``clock``
        """
        query = {"within": None if within is None else duration(within)}
        ran: dict[str, Any] = await self._ask("POST", "/sandbox/settle", query=query)
        return ran

    async def wait_for_callback(
        self, reference: str | None = None, *, state: str = "delivered", timeout: Duration = 10
    ) -> Callback:
        """The newest callback that was delivered; waits for it, in real time.

        :param reference: any identifier of its transaction, your own included
        :param state: ``delivered``, ``failed`` or ``over``, which is either
        :raises SandboxError: 504 when it does not come; it says what came instead, and what is scheduled when
        """
        return (await self.callbacks.wait(reference, state=state, timeout=timeout))[-1]

    def listen(
        self, handler: Handler | None = None, *, check: bool = True, bind: str | None = None, host: str | None = None
    ) -> AsyncReceiver:
        """A receiver in a thread of this process, on a free port; its ``url`` is a ``callback_url``.

        :param handler: takes each callback, in that thread, and may give the status to answer with; 204 when it gives none
        :param check: callbacks whose signature does not hold are answered 401 and kept from the handler
        :param bind: the address to listen at; loopback, or all addresses where the sandbox runs in a container
        :param host: the name by which the sandbox finds this machine; ``PAYMENTS_SANDBOX_CALLBACK_HOST`` says it for all
        """
        bind, host = self._reach.receiver(bind, host)
        return AsyncReceiver(Listener(lambda: list(self._secrets), handler, check, bind, host))

    # What happened.

    async def transactions(self, **filter: Any) -> list[dict[str, Any]]:
        """The newest first.

        :param filter: ``status``, ``reference``, ``reason``, ``direction`` and what else ``GET /sandbox/transactions`` takes
        """
        return await self._ask.all("/sandbox/transactions", "transactions", filter)

    async def transaction(self, reference: str) -> dict[str, Any]:
        """One with its states, callbacks, what is owed for it, and what decided it."""
        found: dict[str, Any] = await self._ask("GET", f"/sandbox/transactions/{part(reference)}")
        return found

    async def timeline(self, reference: str) -> dict[str, Any]:
        """All that happened to a transaction, in order, and what is planned."""
        told: dict[str, Any] = await self._ask("GET", f"/sandbox/transactions/{part(reference)}/timeline")
        return told

    async def balance(self, account: str) -> float:
        """Of an account of the ledger, such as ``team:63:wallet``; in units of its currency."""
        answer = await self._ask("GET", "/sandbox/ledger", query={"account": account, "limit": 1})
        balance: float = answer["balances"][0]["balance"]
        return balance

    async def story(self) -> str:
        """What happened in this world, as a text to read: what a test that failed shows."""
        return await in_thread(Story(self._connection).text)

    # Back to where it was.

    async def snapshot(self, name: str | None = None) -> int:
        """Keeps the world as it is; the number to restore it by."""
        made: int = (await self._ask("POST", "/sandbox/snapshots", {} if name is None else {"name": name}))["id"]
        return made

    async def restore(self, snapshot: int) -> None:
        await self._ask("POST", f"/sandbox/snapshots/{part(snapshot)}/restore")

    async def reset(self) -> None:
        """Back to how it was made."""
        await self._ask("POST", "/sandbox/reset")

    async def configure(self, **settings: Any) -> None:
        """Changes settings of this world, such as ``settle_after="500ms"`` or ``retry_profile="svix"``."""
        await self._ask("PATCH", "/sandbox/worlds/current", settings)

    # Everything else.

    async def call(
        self, operation: str, body: Any = None, /, *, headers: Mapping[str, str] | None = None, **parameters: Any
    ) -> Any:
        """Any operation of the service or of the sandbox's own API by its name: ``call("getCallback", id=12)``.

        :param body: sent as JSON; a text as it is
        :param parameters: those of the path and the query; ``from_`` stands for ``from``
        :raises TypeError: for names that it does not know, with the nearest
        :raises SandboxError: for a status of 400 and above
        """
        place = await in_thread(self._operations.place, operation)
        path, query = place.with_parameters(parameters)
        return await self._ask(place.method, path, body, query, headers)

    async def request(
        self, method: str, path: str, body: Any = None, *, headers: Mapping[str, str] | None = None, **query: Any
    ) -> Answer:
        """A request with this world's credentials; the answer as it is, whatever its status."""
        return await in_thread(self._connection.send, method, path, body, query, headers)

    async def delete(self) -> None:
        """Ends it. One that is gone already is as it should be."""
        try:
            await self._ask("DELETE", "/sandbox/worlds/current")
        except SandboxError as refused:
            if refused.status not in (401, 404):
                raise

    async def __aenter__(self) -> AsyncWorld:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.delete()
