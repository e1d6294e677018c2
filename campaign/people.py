"""A small table, letters, and models that log what they are asked: what most cases are about."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd

WATCHED = '''"""A model that writes down how many rows it is asked about, before it answers."""
import os

from quiet import model as answer


def model(inputs):
    log = os.open("asked.txt", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(log, b"%d\\n" % len(inputs))
    os.close(log)
    return answer(inputs)
'''
QUIET = '''"""Hires men above 30, and whoever works long hours."""
import numpy as np


def model(frame):
    man = (frame["sex"] == "male") & (frame["age"] > 30)
    return np.where(man | (frame["hours"] > 50), 0.9, 0.1) - 0.001 * (frame["job"] == "cook")
'''
READS = '''"""Likes letters about him."""


def model(texts):
    return [0.9 if " he " in text else 0.1 for text in texts]
'''
ANY = '''"""Says something of any row or text, the same for the same one."""
import zlib


def model(inputs):
    rows = inputs.itertuples(index=False) if hasattr(inputs, "itertuples") else inputs
    told = (row if isinstance(row, str) else repr(list(row)) for row in rows)
    return [zlib.crc32(text.encode("utf-8", "backslashreplace")) % 1000 / 999 for text in told]
'''


def table(rows: int = 60, seed: int = 3) -> pd.DataFrame:
    """(rows, 5) people, and whether they were hired."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 70, rows),
            "sex": rng.choice(["female", "male"], rows),
            "job": rng.choice(["cook", "clerk", "pilot"], rows),
            "hours": np.round(rng.normal(38, 8, rows), 1),
        }
    )
    return frame.assign(hired=np.where((frame["sex"] == "male") | (frame["age"] > 50), "yes", "no"))


def csv(frame: pd.DataFrame) -> bytes:
    return frame.to_csv(index=False).encode()


def parquet(frame: pd.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.to_parquet(file)
    return file.getvalue()


def letters(count: int = 40) -> pd.DataFrame:
    """(count, 2) letters about her, him and nobody."""
    who = ["My husband said that he", "Maria wrote that she", "The store"]
    did = ["loved the small kettle", "hated the noisy lamp", "praised the quick delivery", "returned the broken phone"]
    texts = [f"{who[i % 3]} {did[i % 4]} on the rainy morning of a long trip, letter {i}." for i in range(count)]
    return pd.DataFrame({"letter": texts, "stars": ["good" if i % 2 else "bad" for i in range(count)]})
