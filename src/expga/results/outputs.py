"""What else an audit writes when it is saved, beside `findings.parquet` and `summary.json`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from expga.errors import InputError, StoreError, is_theirs, reason_of
from expga.files import PREFIX
from expga.inputs import in_short
from expga.registry import Registry, lacking, made
from expga.store import NAME

FILES = ("findings.parquet", "summary.json")


class Output(Protocol):
    """Files made of an audit. A class that inherits from this one owes a name, the names of its files, and them."""

    name: str
    writes: tuple[str, ...]
    """The names of its files, known before an audit begins: nothing of the user's may stand there."""

    @abstractmethod
    def files(self, audit: Any) -> Mapping[str, bytes]:
        """The content of each of its files, by name.

        Args:
            audit: an `expga.Audit`, which stays as it is.
        """
        ...


Outputs: TypeAlias = str | Sequence[str | type[Output] | Output]
"""Outputs as users give them: names, `package.module:Name`, classes, objects; or one name."""

OUTPUTS = Registry("outputs", {"csv": ["expga.results.spreadsheet:Csv"]})
_OWED = ("name", "writes", "files")


def outputs_of(given: Outputs) -> list[Output]:
    """The outputs that a user means, once each; no two of them write a file of one name, nor one of ours."""
    found: dict[str, Output] = {}
    for one in [given] if isinstance(given, str) else given:
        output = _checked(made(OUTPUTS.given(one)[0], "output"))
        found.setdefault(output.name, output)
    taken = dict.fromkeys(FILES, "every audit")
    for output in found.values():
        for name in output.writes:
            if name in taken:
                raise InputError(
                    f"The output {output.name} writes {name}, as does {taken[name]}; leave one of them out."
                )
            taken[name] = f"the output {output.name}"
    return list(found.values())


def _checked(output: Any) -> Output:
    called = f"The output {type(output).__name__}"
    if name := lacking(output, _OWED):
        raise InputError(
            f"{called} has no {name}; let its class inherit from expga.results.Output, with a name, the names of the "
            "files that it writes, and a method files(audit)."
        )
    if not isinstance(output.writes, tuple) or not all(isinstance(name, str) for name in output.writes):
        raise InputError(f"{called} writes {in_short(output.writes)}; give a tuple with the names of its files.")
    for name in output.writes:
        if not name or Path(name).name != name or name.startswith((NAME, PREFIX)):
            raise InputError(f"{called} writes {in_short(name)}, which is no name for a file beside those of an audit.")
    found: Output = output
    return found


def names_of(outputs: Sequence[Output]) -> list[str]:
    """All files of an audit with these outputs."""
    return [*FILES, *(name for output in outputs for name in output.writes)]


def written(outputs: Sequence[Output], audit: Any) -> dict[str, bytes]:
    """The content of the files that outputs make of an audit.

    Raises:
        StoreError: one of them failed; what the audit found is kept.
    """
    files: dict[str, bytes] = {}
    for output in outputs:
        try:
            made_of_it = dict(output.files(audit))
        except BaseException as error:
            if not is_theirs(error):
                raise
            raise StoreError(f"The output {output.name} cannot be made: {reason_of(error)}.") from error
        if sorted(made_of_it) != sorted(output.writes) or not all(
            isinstance(file, bytes) for file in made_of_it.values()
        ):
            raise StoreError(
                f"The output {output.name} made {in_short(made_of_it)}; it owes the bytes of "
                f"{', '.join(output.writes)}."
            )
        files |= made_of_it
    return files
