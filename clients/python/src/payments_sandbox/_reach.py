"""The address of receivers on this machine for a sandbox."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Reach:
    in_container: bool = False

    def receiver(self, bind: str | None, host: str | None) -> tuple[str, str]:
        """The address that a receiver listens at, and its host name for the sandbox."""
        host = host or os.environ.get("PAYMENTS_SANDBOX_CALLBACK_HOST")
        # A sandbox in a container reaches this machine by an address that is not loopback.
        everywhere = self.in_container or host is not None
        return bind or ("0.0.0.0" if everywhere else "127.0.0.1"), host or "127.0.0.1"
