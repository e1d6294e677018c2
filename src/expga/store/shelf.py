"""A folder for results: whose its files are, and new ones for old ones all at once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from expga.errors import InputError, StoreError
from expga.files import digest_of, forget_temporary, occupied, settle, temporary
from expga.store.store import Store


class Shelf:
    """A folder that this process alone writes to.

    A file there is ours if the store knows its name and its digest: only such a file is ever replaced.
    """

    def __init__(self, folder: Path, store: Store, kind: str, made: Sequence[Path] = ()) -> None:
        """A shelf; see `open`.

        Args:
            folder: where it is.
            store: the database in it.
            kind: what is worked on, in a word.
            made: the folders that were made for it, innermost first.
        """
        self.folder = folder
        self.store = store
        self._kind = kind
        self._made = made

    @classmethod
    def open(
        cls,
        folder: Path,
        names: Sequence[str],
        kind: str,
        *,
        resume: bool = False,
        overwrite: bool = False,
        inputs: Sequence[Path] = (),
        resumable: bool = True,
    ) -> Shelf:
        """Takes a folder for work of some kind, which may then begin, or go on.

        Args:
            folder: made if it is not there.
            names: of the files that the results will have.
            kind: what is worked on, in a word.
            resume: go on with what is there.
            overwrite: what is there may be replaced, in the end, if it is ours.
            inputs: files of the user's that must not be among those replaced.
            resumable: such work can be gone on with at all.

        Raises:
            InputError: something there is not ours, or in the way.
        """
        if resume and overwrite:
            raise InputError("Choose either to resume what is there or to overwrite it, not both.")
        made = _make(folder)
        shelf = None
        try:
            shelf = cls(folder, Store.open(folder, make=not resume), kind, made)
            forget_temporary(folder)
            # Those that will not be written again give way to the new ones too.
            shelf._check_files(list(dict.fromkeys([*names, *shelf.store.files()])), inputs)
            shelf._check_run(resume, overwrite, resumable)
        except BaseException as error:
            if shelf is not None:
                shelf.leave()
            else:
                _remove(made)
            if isinstance(error, OSError):
                raise InputError(f"The folder {folder} cannot be written to: {error.strerror or error}.") from error
            raise
        return shelf

    def _check_files(self, names: Sequence[str], inputs: Sequence[Path]) -> None:
        for name in names:
            path = self.folder / name
            if not occupied(path):
                continue
            if any(given.exists() and given.samefile(path) for given in inputs if path.exists()):
                raise InputError(
                    f"{path} is itself given to this command and would be replaced; choose another folder."
                )
            if not self.store.knows(name, digest_of(path)):
                raise InputError(
                    f"{path} is not as expga wrote it, or not from expga at all, and would be replaced; "
                    "move it away, or choose another folder."
                )

    def _check_run(self, resume: bool, overwrite: bool, resumable: bool) -> None:
        store, folder, kind = self.store, self.folder, self._kind
        if resume and store.empty:
            lost = "".join(f" ({note[0].lower()}{note[1:].removesuffix('.')})" for note in store.notes)
            raise InputError(f"There is nothing to resume in {folder}{lost}; leave --resume out to start anew.")
        if store.empty:
            return
        if store.kind != kind:
            raise InputError(f"{folder} holds {_an(store.kind)}, not {_an(kind)}; choose another folder.")
        if resume or overwrite:
            return
        state, then = ("a finished", "replace it") if store.done else ("an unfinished", "start anew")
        raise InputError(
            f"{folder} holds {state} {kind} already; add {'--resume to go on with it or ' if resumable else ''}"
            f"--overwrite to {then}, or choose another folder."
        )

    def publish(self, files: Mapping[str, bytes], records: Mapping[str, bytes]) -> None:
        """Ends the run: writes all files beside their places, moves them there, and forgets what was there before.

        The last file is the one that readers look for: while the others change it is not there.

        Args:
            files: their content, by name.
            records: for the store, in the transaction that ends the run.
        """
        if self.store.empty or self.store.done:
            self.store.begin(self._kind, {})
        try:
            self._put(files)
        except OSError as error:
            raise StoreError(f"The results cannot be written to {self.folder}: {error.strerror or error}.") from error
        self.store.finish(records)

    def _put(self, files: Mapping[str, bytes]) -> None:
        """The new files in place of the old ones, the last of them last."""
        places: dict[str, Path] = {}
        try:
            for name, content in files.items():
                places[name] = temporary(self.folder)
                places[name].write_bytes(content)
            digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
            self.store.will_write(digests)
            *others, last = places
            for name in (last, *self.store.files()):
                if name == last or name not in places:
                    self._clear(name)
            for name in (*others, last):
                self._check_files([name], ())
                settle(places[name], self.folder / name)
        finally:
            for place in places.values():
                place.unlink(missing_ok=True)
        self.store.has_written(digests)

    def _clear(self, name: str) -> None:
        self._check_files([name], ())
        (self.folder / name).unlink(missing_ok=True)

    def close(self) -> None:
        """Lets others have the folder; what is in it stays."""
        self.store.close()

    def leave(self) -> None:
        """Lets others have the folder, and takes away what was made for nothing."""
        self.store.leave()
        _remove(self._made)


def _make(folder: Path) -> list[Path]:
    """Makes a folder, and says which ones were not there."""
    new = [place for place in (folder, *folder.parents) if not occupied(place)]
    there = next(place for place in (folder, *folder.parents) if occupied(place))
    if not there.is_dir():
        raise InputError(f"The folder {folder} cannot be made: {there} is a file.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"The folder {folder} cannot be made: {error.strerror or error}.") from error
    return new


def _remove(made: Sequence[Path]) -> None:
    """Removes folders that were made for nothing, as far as they are empty."""
    for folder in made:
        try:
            folder.rmdir()
        except OSError:  # somebody put something there, or removed it: it is no longer ours to care for
            return


def _an(kind: str) -> str:
    return f"an {kind}" if kind[:1] in "aeiou" else f"a {kind}"
