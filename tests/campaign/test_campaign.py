"""The campaign's own parts: cases as files, what it calls a defect, how it makes cases smaller."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest
from campaign.case import Case, Fault, Step, words
from campaign.judge import Snapshot, defects_of
from campaign.nursery import Ended, Nursery
from campaign.sections.faults import AUDIT, people
from campaign.shrink import shrunk

from campaign import trial

SENTENCE = "expga: The column 'age' is not in the data; name another.\n"
CASES = sorted(Path(__file__).parents[2].glob("campaign/cases/*.json"))

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="the shim that strikes needs a C compiler")


def ended(code=0, stdout="", stderr="", hung=False):
    return Ended(code, stdout, stderr, seconds=1.0, hung=hung, operations=3)


def test_a_case_comes_back_from_its_file():
    struck = Step(words("audit --out out"), "carry on", Fault("torn", 7, argument=signal.SIGKILL), limit_s=60)
    case = Case("faults", {"a.csv": b"x,y\n1,2\n", "b": b"\x00\xff"}, (struck, Step(codes=(2,))), ("kept",), {"l": "a"})
    assert Case.from_json(case.to_json()) == case


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (ended(), None),
        (ended(1), None),
        (ended(2, stderr=SENTENCE), None),
        (ended(3, stderr="expga: UserWarning: odd\n" + SENTENCE), None),
        (ended(hung=True), "hangs"),
        (ended(-signal.SIGSEGV), "dies of the signal 11"),
        (ended(7), "the exit code 7"),
        (ended(1, stderr="Traceback (most recent call last)\n"), "a traceback"),
        (ended(3, stderr="expga: This is a defect of expga: KeyError: 'x'.\n"), "a defect that it knows of itself"),
        (ended(0, stdout="all is \x1b[2Jfair\n"), "reaches the terminal"),
        (ended(2), "0 sentences"),
        (ended(2, stderr=SENTENCE * 2), "2 sentences"),
        (ended(2, stderr=SENTENCE + "and more\n"), "1 sentences"),
    ],
)
def test_every_outcome_is_a_result_a_sentence_or_a_defect(outcome, told):
    defects = defects_of(Step(words("audit")), outcome)
    assert (not defects) if told is None else told in defects[0]


def test_only_the_signal_that_struck_may_end_a_command():
    step = Step(words("audit"), fault=Fault("signal", 3, argument=signal.SIGKILL))
    assert defects_of(step, ended(-signal.SIGKILL)) == []
    assert defects_of(step, ended(-signal.SIGABRT))


def test_a_changed_file_of_the_users_is_seen(tmp_path):
    case = Case("faults", {"mine.txt": b"mine", "other.txt": b"other"}, links={"link": "mine.txt"})
    for name, content in case.files.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "link").symlink_to("mine.txt")
    before = Snapshot(tmp_path, case)
    (tmp_path / "mine.txt").write_bytes(b"yours")
    (tmp_path / "link").unlink()
    assert before.changed(set()) == ["mine.txt", "link"]
    assert before.changed({"mine.txt"}) == ["link"]


def test_a_case_is_made_smaller_as_long_as_it_shows_the_same():
    steps = (Step(words("lexicon show film")), Step(words("audit --data a.csv --seed 3 --max-queries 9")))
    case = Case("tables", {"a.csv": b"x\n" * 40 + b"bad\n" + b"y\n" * 40, "b.csv": b"z"}, steps)
    small = shrunk(case, lambda one: b"bad" in one.files.get("a.csv", b"") and "--seed" in one.steps[-1].words)
    assert list(small.files) == ["a.csv"]
    assert len(small.files["a.csv"]) < 20
    assert [step.words for step in small.steps] == [("audit", "--seed", "3")]


@pytest.fixture(scope="module")
def nursery(tmp_path_factory):
    made = Nursery(tmp_path_factory.mktemp("tools"))
    yield made
    made.close()


@needs_compiler
class TestStriking:
    """Commands in processes of their own."""

    def run(self, nursery, folder, fault, *more):
        case = Case("faults", people(), (Step(AUDIT, fault=fault), *more), ("kept",) if more else ())
        return trial.run(case, nursery, folder)

    def test_nothing_befalls_a_command_by_itself(self, nursery, tmp_path):
        outcome = self.run(nursery, tmp_path, None)
        assert (outcome.defects, outcome.ended[0].code) == ([], 0)
        assert outcome.ended[0].operations > 50
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("operation", [1, 25, 60])
    def test_a_run_that_is_killed_is_carried_on(self, nursery, tmp_path, operation):
        kill = Fault("signal", operation, argument=signal.SIGKILL)
        outcome = self.run(nursery, tmp_path, kill, Step(AUDIT, "carry on"))
        codes = [one.code for one in outcome.ended if trial.NOTHING_THERE not in one.stderr]
        assert codes == [-signal.SIGKILL, 0]
        assert outcome.defects == []

    @pytest.mark.parametrize("action", ["full", "read-only"])
    def test_a_disk_that_fails_is_one_sentence(self, nursery, tmp_path, action):
        outcome = self.run(nursery, tmp_path, Fault(action, 40), Step(AUDIT, "carry on"))
        assert [one.code for one in outcome.ended] == [3, 0]
        assert outcome.defects == []


@needs_compiler
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_what_was_a_defect_is_none_any_more(nursery, tmp_path, path):
    assert trial.run(Case.from_json(path.read_text(encoding="utf-8")), nursery, tmp_path).defects == []
