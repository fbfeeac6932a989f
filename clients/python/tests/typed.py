"""What a type checker sees: this file is checked, and never run."""

from datetime import timedelta

from payments_sandbox import AsyncWorld, Callback, Payment, Received, Sandbox, World


def blocking(world: World) -> None:
    payment: Payment = world.pay(outcome="payer-cancels", amount=100)
    found: Callback = world.callback(payment)
    callback: Callback = world.wait_for_callback("order-1", timeout=timedelta(seconds=3))
    print(found.verified)
    attempts: int = len(callback.attempts)
    every: list[Callback] = world.callbacks.list(state="delivered")
    secret: str = world.rotate_secret()
    with world.listen(status_of) as receiver:
        received: list[Received] = receiver.wait(attempts)
    print(every, secret, received)


async def asynchronous(world: AsyncWorld) -> None:
    callback: Callback = await world.wait_for_callback("order-1")
    async with world.listen() as receiver:
        received: list[Received] = await receiver.wait()
    print(callback, received)


def status_of(callback: Received) -> int | None:
    return 500 if callback.body["status"] == "failed" else None


with Sandbox.start() as sandbox, sandbox.world(clock="real") as world:
    blocking(world)
