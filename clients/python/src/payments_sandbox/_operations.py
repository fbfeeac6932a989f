"""The operations of a sandbox by name, read from its descriptions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from ._errors import suggestion

# Hides these frames in the traceback of a failing test.
__tracebackhide__ = True

METHODS = ("get", "put", "post", "delete", "patch")
DESCRIPTIONS = ("/openapi.json", "/sandbox/openapi.json")


@dataclass(frozen=True)
class Place:
    """The method, path and parameters of an operation."""

    name: str
    method: str
    path: str
    in_path: tuple[str, ...]
    in_query: tuple[str, ...]

    def with_parameters(self, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Returns the path with its parameters, and the query.

        :raises TypeError: with all unknown and missing parameters
        """
        # from is a keyword of Python.
        named = {name.removesuffix("_"): value for name, value in given.items() if value is not None}
        known = [*self.in_path, *self.in_query]
        faults = [f"{name} is not known here{suggestion(name, known)}" for name in named if name not in known]
        faults += [f"{name} is missing" for name in self.in_path if name not in named]
        if faults:
            raise TypeError(f"{self.name} ({self.method} {self.path}): {'; '.join(faults)}")
        path = self.path
        for name in self.in_path:
            path = path.replace(f"{{{name}}}", quote(str(named[name]), safe=""))
        return path, {name: named[name] for name in self.in_query if name in named}


class Operations:
    """All operations of a sandbox. The descriptions are read on first use."""

    def __init__(self, read: Callable[[str], Any]) -> None:
        self._read = read
        self._places: dict[str, Place] | None = None

    def place(self, name: str) -> Place:
        """:raises TypeError: with the nearest name if there is no such operation"""
        if self._places is None:
            self._places = {each.name: each for path in DESCRIPTIONS for each in _places(self._read(path))}
        if name not in self._places:
            raise TypeError(f"there is no operation {name}{suggestion(name, self._places)}")
        return self._places[name]


def _places(description: Any) -> list[Place]:
    def resolved(parameter: Any) -> Any:
        while "$ref" in parameter:
            found = description
            for part in parameter["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            parameter = found
        return parameter

    places = []
    for path, item in description["paths"].items():
        for method in METHODS:
            if method in item:
                both = [resolved(each) for each in (*item.get("parameters", ()), *item[method].get("parameters", ()))]
                names = {where: tuple(dict.fromkeys(each["name"] for each in both if each["in"] == where)) for where in ("path", "query")}
                places.append(Place(item[method]["operationId"], method.upper(), path, names["path"], names["query"]))
    return places
