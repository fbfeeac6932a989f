"""The pytest plugin: ``sandbox``, ``world``, ``async_world``, ``make_world``, and the history of the world of a failing test."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from . import AsyncWorld, Sandbox, World

OPTIONS = ("clock", "name", "seed", "populate", "settings")

worlds_key = pytest.StashKey["list[World]"]()
failed_key = pytest.StashKey[bool]()
none_key = pytest.StashKey[str]()
"""Why there is no sandbox."""
explained_key = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("payments_sandbox_clock", "how the clock of a test's world starts: frozen or real", default="frozen")
    parser.addini(
        "payments_sandbox_settings",
        "environment variables of the sandbox that is started, one NAME=VALUE a line",
        type="linelist",
        default=[],
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "world(clock, name, seed, populate, settings): how the world of this test is made, such as "
        "@pytest.mark.world(clock='real', settings={'settle_after': '0'})",
    )


@pytest.fixture(scope="session")
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """The sandbox of the session, one per worker of pytest-xdist; see ``Sandbox.start``."""
    from . import NoSandbox, Sandbox

    settings, none = _settings(request.config.getini("payments_sandbox_settings")), ""
    try:
        started = Sandbox.start(settings)
    except NoSandbox as error:
        none = str(error)
    if none:
        request.config.stash[none_key] = none
        pytest.fail(none, pytrace=False)
    with started:
        yield started


@pytest.fixture
def make_world(sandbox: Sandbox, request: pytest.FixtureRequest) -> Iterator[Callable[..., World]]:
    """Creates worlds as ``sandbox.world()`` does, and deletes them after the test."""
    worlds: list[World] = []
    request.node.stash[worlds_key] = worlds
    clock = request.config.getini("payments_sandbox_clock")

    def make(**options: Any) -> World:
        world = sandbox.world(**{"clock": clock, "name": request.node.name, **options})
        worlds.append(world)
        return world

    yield make
    for world in worlds:
        # A failing test keeps its world for inspection; the sandbox deletes it when it is idle.
        if not request.node.stash.get(failed_key, False):
            world.delete()


@pytest.fixture
def world(make_world: Callable[..., World], request: pytest.FixtureRequest) -> World:
    """An isolated world for this test, with a frozen clock."""
    from ._errors import require_known

    options: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("world"))):
        if marker.args:
            pytest.fail(f"@pytest.mark.world takes {', '.join(OPTIONS)} by name", pytrace=False)
        try:
            require_known("@pytest.mark.world", marker.kwargs, OPTIONS)
        except TypeError as unknown:
            pytest.fail(str(unknown), pytrace=False)
        options.update(marker.kwargs)
    return make_world(**options)


@pytest.fixture
def async_world(world: World) -> AsyncWorld:
    """The same world for ``await``, with pytest-asyncio and anyio."""
    from . import AsyncWorld

    return AsyncWorld.of(world)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    report: pytest.TestReport = (yield).get_result()
    # pytest repeats the error of the session's fixture for each test.
    none = item.config.stash.get(none_key, None)
    if none is not None and report.failed and none in str(report.longrepr):
        if item.config.stash.get(explained_key, False):
            report.longrepr = "there is no sandbox: the first error of this run lists the remedies"
        item.config.stash[explained_key] = True
    worlds = item.stash.get(worlds_key, [])
    # If the test failed before its teardown, the history was printed then.
    if not report.failed or item.stash.get(failed_key, False):
        return
    item.stash[failed_key] = True
    for world in worlds:
        report.sections.append((f"payments sandbox, world {world.id}", _told(world)))


def _told(world: World) -> str:
    """Never hides the failure of the test."""
    try:
        return f"{world.story()}\n\nOpen {world.url}/dashboard as {world.username} / {world.password} while the sandbox runs."
    except Exception as error:
        return f"What happened there could not be read: {error}"


def _settings(lines: list[str]) -> dict[str, str]:
    wrong = [line for line in lines if "=" not in line]
    if wrong:
        pytest.fail(f"payments_sandbox_settings: {', '.join(map(repr, wrong))} is not NAME=VALUE", pytrace=False)
    return {name.strip(): value.strip() for name, _, value in (line.partition("=") for line in lines)}
