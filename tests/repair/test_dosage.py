"""How many found pairs a repair takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from expga.api import replay
from expga.repair import dosage
from expga.repair.dosage import as_many_as_it_takes, best_count
from expga.repair.repairs import Both


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def said():
    return []


class TestAsManyAsItTakes:
    def test_the_first_dose_is_enough_where_few_findings_still_flip(self, material_of, rng, said, monkeypatch):
        monkeypatch.setattr(dosage, "ENOUGH", 1.0)
        made, count = as_many_as_it_takes(Both(), material_of(), 3, rng, said.append)
        assert (count, made.pairs, said) == (3, 3, [])

    def test_more_are_added_until_all_are(self, material_of, rng, said, monkeypatch):
        monkeypatch.setattr(dosage, "ENOUGH", -1.0)  # never enough
        material = material_of()
        made, count = as_many_as_it_takes(Both(), material, 2, rng, said.append)
        assert made.pairs == count < len(material.pairs)
        assert len(said) == np.ceil(np.log(count / 2) / np.log(dosage.TIMES))

    def test_findings_that_judge_repair_nothing(self, material_of, rng, said, monkeypatch):
        monkeypatch.setattr(dosage, "ENOUGH", -1.0)
        monkeypatch.setattr(dosage, "JUDGING", 0.5)
        judged, added = [], []
        monkeypatch.setattr(
            dosage, "replay", lambda audit, *on, **by: (judged.append(audit), replay(audit, *on, **by))[1]
        )

        class Watched(Both):
            def repaired(self, material, *rest):
                added.append(material.pairs)
                return super().repaired(material, *rest)

        as_many_as_it_takes(Watched(), material_of(), 10**6, rng, said.append)
        assert not set(judged[0].findings["anchor"]) & set(added[0].audit.findings["anchor"])


class TestBestCount:
    def count(self, material, rng, said, loss):
        truth = np.unique(material.labels, return_inverse=True)[1]
        return best_count(Both(), material, truth, ["no", "yes"], loss, rng, said.append)

    def test_it_is_one_of_the_shares_that_were_tried(self, material_of, rng, said):
        material = material_of()
        count = self.count(material, rng, said, 1.0)
        tried = [float(text.rpartition(" ")[2]) for text in said]
        assert count in [round(share * len(material.labels)) for share in tried]

    def test_where_every_share_costs_too_much_it_is_the_smallest(self, material_of, rng, said):
        material = replace(material_of(), relabel="original")
        assert self.count(material, rng, said, -1.0) == round(dosage.SHARES[0] * len(material.labels))
