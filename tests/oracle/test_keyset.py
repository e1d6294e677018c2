"""The set of keys against Python's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expga.keyset import KeySet, first_of_equals

# Keys that collide in their low bits, that wrap around the end of the table, and any others.
KEYS = st.one_of(
    st.integers(0, 40),
    st.integers(0, 20).map(lambda n: n << 32),
    st.integers(0, 20).map(lambda n: 2**64 - 1 - n),
    st.integers(0, 2**64 - 1),
)
CALLS = st.lists(st.lists(KEYS, max_size=60), max_size=12)


def as_keys(numbers):
    return np.array(numbers, dtype=np.uint64)


@settings(max_examples=100)
@given(CALLS)
def test_it_knows_what_a_python_set_would_know(calls):
    keys, known = KeySet(capacity=8), set()
    for call in calls:
        new = keys.add(as_keys(call))
        fresh = {max(key, 1) for key in call} - known  # a key of 0 stands for an empty slot: it is taken for 1
        assert {max(key, 1) for key, is_new in zip(call, new, strict=True) if is_new} == fresh
        assert new.sum() == len(fresh)
        known |= fresh
        assert len(keys) == len(known)


@settings(max_examples=100)
@given(st.lists(KEYS, max_size=80))
def test_of_equal_keys_one_is_kept(numbers):
    kept = as_keys(numbers)[first_of_equals(as_keys(numbers))]
    assert sorted(kept.tolist()) == sorted(set(numbers))


def test_it_grows_without_forgetting():
    rng = np.random.default_rng(0)
    keys = rng.integers(1, 2**63, 50_000, dtype=np.uint64)
    grown = KeySet(capacity=16)
    assert all(grown.add(part).all() for part in np.split(keys, 50))
    assert not grown.add(rng.permutation(keys)).any()
    assert len(grown) == len(keys)


def test_a_key_of_zero_is_remembered():
    keys = KeySet()
    assert keys.add(as_keys([0, 0])).sum() == 1
    assert not keys.add(as_keys([0])).any()


def test_no_keys_are_no_trouble():
    assert KeySet().add(as_keys([])).shape == (0,)


@pytest.mark.parametrize("count", [100_000, 400_000])
def test_a_key_takes_few_bytes(count):
    keys = KeySet()
    keys.add(np.random.default_rng(0).integers(1, 2**63, count, dtype=np.uint64))
    assert keys.nbytes / count <= 24


class TestHas:
    def test_it_tells_what_was_added_and_adds_nothing(self):
        keys = np.random.default_rng(0).integers(0, 2**64, 3_000, dtype=np.uint64)
        known = KeySet(1 << 4)
        known.add(keys[:1_000])
        assert known.has(keys).tolist() == [True] * 1_000 + [False] * 2_000
        assert len(known) == 1_000
        assert known.add(keys[1_000:]).all()
        assert known.has(keys).all()

    def test_keys_that_want_one_slot_are_told_apart(self):
        keys = np.arange(1, 9, dtype=np.uint64) << np.uint64(32)
        known = KeySet(16)
        known.add(keys[::2])
        assert known.has(keys).tolist() == [True, False] * 4

    def test_zero_is_a_key(self):
        known = KeySet(16)
        assert known.has(np.zeros(1, dtype=np.uint64)).tolist() == [False]
        known.add(np.zeros(1, dtype=np.uint64))
        assert known.has(np.zeros(2, dtype=np.uint64)).tolist() == [True, True]

    def test_nothing_is_asked(self):
        assert KeySet(16).has(np.zeros(0, dtype=np.uint64)).tolist() == []
