"""Audits of texts that are stopped, killed and taken up again; what they keep."""

from __future__ import annotations

import signal

import numpy as np
import pandas as pd
import pytest

import expga
from expga.errors import InputError

LONG = ("--max-queries", "20000")
"""In a hundred batches, enough to be killed in."""
IN_THE_SEARCH = 13
"""Calls after which a run has kept findings."""


def he(texts):
    return np.array([0.9 if " he " in text else 0.1 for text in texts])


def options(**more):
    return {"protected": "gender", "max_queries": 3_000, **more}


def without_lists(frame):
    """A frame without its columns of lists, which come back from a file as arrays."""
    return frame.drop(columns=["changed", "names", "names__twin", "asked", "asked__twin"]).astype({"anchor": int})


class TestCtrlC:
    def test_in_the_search_keeps_its_findings(self, letters, tmp_path):
        calls = []

        def model(texts):
            calls.append(len(texts))
            if len(calls) > IN_THE_SEARCH:
                raise KeyboardInterrupt
            return he(texts)

        try:
            audit = expga.audit(model, letters, out=tmp_path, **options(max_queries=20_000))
        except KeyboardInterrupt:
            pytest.fail("the interruption came through")
        assert audit.summary["stop_reason"] == "interrupted"
        assert audit.summary["found"] == len(audit.findings) > 0
        assert audit.summary["queries"]["total"] == sum(calls)
        assert expga.replay(expga.Audit.load(tmp_path), he) == (len(audit.findings),) * 2

    def test_in_a_real_process_writes_the_files_and_says_so(self, text_process):
        text_process.hang(IN_THE_SEARCH, *LONG)
        code, stdout, stderr = text_process.stop(signal.SIGINT)
        assert (code, stderr) == (0, "")
        assert "stopped: interrupted" in stdout
        audit = expga.Audit.load(text_process.out)
        assert audit.summary["stop_reason"] == "interrupted"
        assert expga.replay(audit, he) == (audit.summary["found"],) * 2
        assert audit.summary["found"] > 0


class TestAKilledRun:
    def test_goes_on_without_losing_or_repeating_a_finding(self, text_process, letters):
        text_process.hang(IN_THE_SEARCH, *LONG)
        text_process.stop(signal.SIGKILL)
        assert not (text_process.out / "summary.json").exists()
        kept, state = text_process.kept()
        more = sum(state.queries.values()) + 4_000

        done = text_process.finish("--resume", "--max-queries", str(more))
        assert (done.returncode, done.stderr) == (0, "")
        audit = expga.Audit.load(text_process.out)
        summary, found = audit.summary, audit.findings
        assert len(found) == summary["found"] > len(kept) > 0
        assert found["anchor"][: len(kept)].tolist() == kept.anchor.tolist()
        assert not found.duplicated("text").any()
        assert more - 10 < summary["queries"]["total"] <= more
        assert summary["queries"]["population"] == state.queries["population"]
        assert expga.replay(audit, he) == (len(found), len(found))

        whole = expga.audit(he, letters, **options(max_queries=20_000))
        for figure in ("population", "by_attribute", "mentioning", "texts"):
            assert summary[figure] == whole.summary[figure]
        assert list(found.columns) == list(whole.findings.columns)
        assert set(summary) == set(whole.summary)


class TestGoingOn:
    def test_gives_a_finished_run_more_to_do(self, letters, tmp_path):
        before = expga.audit(he, letters, out=tmp_path, **options())
        after = expga.audit(he, letters, out=tmp_path, resume=True, **options(max_queries=4_000))
        pd.testing.assert_frame_equal(after.findings[: len(before.findings)], before.findings)
        assert len(after.findings) > len(before.findings)
        assert not after.findings.duplicated("text").any()
        assert after.summary["population"] == before.summary["population"]

    @pytest.mark.parametrize(
        "other",
        [
            {"X": ["He came.", "She went."]},
            {"lexicon": {"gender": {"pairs": [["aunty", "nunkie"]]}}},
            {"protected": "country"},
            {"realism": "domain"},
        ],
        ids=["texts", "lexicon", "attribute", "realism"],
    )
    def test_with_something_else_is_refused_and_loses_nothing(self, letters, tmp_path, other):
        letters = [*letters, "The Mexican cook came."]
        before = expga.audit(he, letters, out=tmp_path, **options(max_queries=500))
        with pytest.raises(InputError, match="was started with"):
            expga.audit(he, **{"X": letters, "out": tmp_path, "resume": True, **options(), **other})
        kept = expga.Audit.load(tmp_path).findings
        pd.testing.assert_frame_equal(without_lists(kept), without_lists(before.findings), check_dtype=False)

    def test_with_another_lexicon_says_what_differs(self, letters, tmp_path):
        expga.audit(he, letters, out=tmp_path, **options(max_queries=500))
        with pytest.raises(InputError, match="other data or another lexicon or other vectors"):
            expga.audit(he, letters, out=tmp_path, resume=True, lexicon={"ignore": ["husband"]}, **options())

    def test_a_new_run_does_not_overwrite_an_unfinished_one(self, letters, tmp_path):
        expga.audit(he, letters, out=tmp_path, **options(max_queries=500))
        (tmp_path / "summary.json").unlink()
        with pytest.raises(InputError, match="add --resume"):
            expga.audit(he, letters, out=tmp_path, **options())


class TestSize:
    def test_one_very_long_text_costs_the_others_nothing(self, letters):
        """A table of equally wide texts would take 800 MB."""
        import tracemalloc

        long = " ".join(["My husband said that he loved the small kettle on a rainy morning."] * 1_000)
        texts = [long, *(f"{letter} {number}" for number in range(3) for letter in letters)]
        expga.audit(he, letters, **options(max_queries=100))  # the word lists and vectors are loaded once
        tracemalloc.start()
        try:
            audit = expga.audit(he, texts, **options(max_queries=100))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert audit.summary["texts"] == 451
        assert peak < 150e6

    def test_a_text_of_a_hundred_thousand_words(self):
        text = "My husband said that he loved the small kettle. " * 11_200
        audit = expga.audit(he, [text], protected="gender", max_queries=20)
        assert audit.population.flipped == 1
        assert audit.findings["text__twin"][0] == text.replace("husband", "wife").replace(" he ", " she ")
        assert len(audit.sentences()[0]) < 500
