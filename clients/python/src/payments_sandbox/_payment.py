"""The result of ``world.pay()`` and ``world.pay_out()``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from ._connection import Answer


class PaymentOptions(TypedDict, total=False):
    """The options of ``world.pay()`` and ``world.pay_out()``, which ``POST /sandbox/payments/prepare`` completes."""

    outcome: str
    """Such as ``payer-cancels``, an alias such as ``cancelled``, or a reason code; by default the payment succeeds."""
    amount: float
    phone: str
    account_number: str
    rail: str
    """``momo``, ``bank`` or ``card``."""
    country: str
    """ISO 3166-1, such as ``NG``."""
    reference: str
    callback_url: str
    account_id: int
    operation: str
    fields: Mapping[str, Any]
    """Fields to add to the request body or to replace; objects are merged."""


@dataclass(frozen=True)
class Payment:
    """A payment that the service accepted."""

    reference: str
    """Your own reference, under which every other call finds the payment."""
    outcome: str | None
    """The outcome that the payment asks for; ``None`` if it succeeds unless the world decides otherwise."""
    operation: str
    request: dict[str, Any]
    """The request body."""
    response: Any
    """The service's response body."""
    status: int
    request_id: str

    @classmethod
    def of(cls, made: Mapping[str, Any], answer: Answer) -> Payment:
        return cls(made["reference"], made["outcome"], made["operation"], made["body"], answer.value(), answer.status, answer.request_id)

    @property
    def external_reference(self) -> str:
        """Your own reference."""
        return self.reference
