"""Models in the format of skops, which makes nothing but objects of types that are safe or trusted."""

from __future__ import annotations

from typing import Any

from expga.errors import InputError
from expga.models.adapters import Adapter, Permission


class Skops(Adapter):
    """What skops has dumped."""

    name = "skops"
    suffixes = (".skops",)
    runs_code = False

    def load(self, source: str, permission: Permission) -> Any:
        from skops.io import get_untrusted_types, load

        if unknown := sorted(set(get_untrusted_types(file=source)) - set(permission.types)):
            raise InputError(
                f"The model file {source} holds types outside the safe list: {', '.join(unknown)}; "
                f"if you trust them, add --trust {','.join(unknown)}"
            )
        return load(source, trusted=list(permission.types))
