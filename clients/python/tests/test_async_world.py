"""The same with await, under pytest-asyncio and under anyio with asyncio and trio."""

import asyncio

import pytest

from payments_sandbox import AsyncSandbox, AsyncWorld, SandboxError

PAYMENT = {"account_id": 63, "amount": 100, "phone_number": "0712345678", "provider": "m-pesa", "network_code": "63902"}


async def pays_and_is_told(world: AsyncWorld) -> None:
    async with world.listen() as receiver:
        await world.call("createCollection", {**PAYMENT, "external_reference": "order-1", "callback_url": receiver.url})
        await world.settle()
        (received,) = await receiver.wait()
    assert received.verified and received.body["status"] == "success"
    callback = await world.wait_for_callback("order-1")
    assert callback.body == received.body
    with pytest.raises(SandboxError):
        await world.scenario("no-such-scenario")


@pytest.mark.asyncio
async def test_the_grammar_with_await(async_world):
    payment = await async_world.pay(outcome="payer-cancels")
    await async_world.settle()
    callback = await async_world.callback(payment)
    assert callback.verified and callback.body["status"] == "failed"


@pytest.mark.asyncio
async def test_under_pytest_asyncio(async_world):
    await pays_and_is_told(async_world)


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])
async def test_under_anyio(async_world, anyio_backend):
    await pays_and_is_told(async_world)


@pytest.mark.asyncio
async def test_it_is_the_world_of_the_test(world, async_world):
    await async_world.rotate_secret()
    assert (async_world.id, async_world.secret) == (world.id, world.secret)


@pytest.mark.asyncio
async def test_an_app_in_the_same_loop_answers_while_the_world_settles(async_world):
    took = []

    async def answer(reader, writer):
        took.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        await async_world.call(
            "createCollection", {**PAYMENT, "external_reference": "order-1", "callback_url": f"http://127.0.0.1:{port}/"}
        )
        await async_world.settle()
    assert len(took) == 1 and (await async_world.callbacks.list())[0].state == "delivered"


@pytest.mark.asyncio
async def test_a_sandbox_and_its_worlds_with_await(sandbox):
    async with AsyncSandbox(sandbox.url) as same, await same.world(clock="real") as world:
        assert (await world.clock.show())["speed"] == 1
    with pytest.raises(SandboxError):
        await world.transactions()
