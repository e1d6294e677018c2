"""Arrays as bytes: nothing that could run code, whole numbers in the fewest bytes that hold them."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

_LENGTH = struct.Struct(">I")


def pack(arrays: Mapping[str, np.ndarray[Any, Any]]) -> bytes:
    """Arrays of numbers by name, as bytes."""
    narrow = {name: np.ascontiguousarray(_narrowed(array)) for name, array in arrays.items()}
    head = json.dumps([(name, array.dtype.str, array.shape) for name, array in narrow.items()]).encode()
    return b"".join([_LENGTH.pack(len(head)), head, *(array.tobytes() for array in narrow.values())])


def unpack(packed: bytes) -> dict[str, np.ndarray[Any, Any]]:
    """What `pack` was given; whole numbers may come in a narrower type."""
    (length,) = _LENGTH.unpack_from(packed)
    start = _LENGTH.size + length
    arrays = {}
    head = msgspec.json.decode(packed[_LENGTH.size : start], type=list[tuple[str, str, list[int]]])
    for name, dtype, shape in head:
        count = int(np.prod(shape, dtype=np.int64))
        arrays[name] = np.frombuffer(packed, dtype, count, start).reshape(shape)
        start += arrays[name].nbytes
    return arrays


def _narrowed(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if array.dtype.kind != "i" or not array.size:
        return array
    low, high = array.min(), array.max()
    return array.astype(np.promote_types(np.min_scalar_type(low), np.min_scalar_type(high)), copy=False)
