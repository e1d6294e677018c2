"""What makes symbolic generation what it is: trees, paths, branches, solvers, and who comes next."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from expga.contracts import Answers, Context, Probe, Seeds, Verdict
from expga.search.paths import BoxSolver, Choices, Condition, Z3Solver, global_branches, local_branches
from expga.search.sg import SG, _Growth, _Input

AGE, JOB, TOWN, HOURS, DEBT = 1, 2, 3, 4, 5


def below(gene, cut, confidence=0.5):
    return Condition(gene, True, cut, confidence)


def above(gene, cut, confidence=0.5):
    return Condition(gene, False, cut, confidence)


@pytest.fixture
def context_of(domain_of, people):
    def make(manner="faithful", realism="domain", batch_size=64, left=None, seed=0):
        domain = domain_of(people, realism)
        rows = domain.anchors
        seeds = Seeds(rows, np.full(len(rows), 0.05), np.tile(np.array([0, 1]), (len(rows), 1)))
        rng = np.random.default_rng(seed)
        return Context(domain, seeds, rng, batch_size, None, manner, lambda: left)

    return make


@pytest.fixture
def choices(context_of):
    return Choices(context_of().domain)


def verdict_on(batch, unfair):
    count = len(batch)
    pair = np.tile(np.array([0, 1]), (count, 1))
    return Verdict(
        np.ones(count, bool),
        np.arange(count),
        np.full(count, unfair),
        np.ones(count, bool),
        np.zeros(count),
        pair,
        pair,
        pair * 1.0,
        cut=False,
    )


def answers_on(probe, label):
    labels = label(probe.genomes).astype(np.intp)
    return Answers(labels, np.column_stack([1 - labels, labels]) * 1.0, np.ones(len(labels)))


class TestPaths:
    def test_a_path_says_what_the_tree_asks_of_the_genome_and_how_many_went_the_same_way(self, choices):
        """Two forks: age at 10, then hours at 20 among the older."""
        genomes = np.zeros((100, 6), dtype=np.int32)
        genomes[:70, AGE], genomes[70:, AGE] = 8, 13
        genomes[:63, HOURS], genomes[63:, HOURS] = 10, 31
        tree = DecisionTreeClassifier(random_state=0).fit(genomes, (np.arange(100) >= 63) & (np.arange(100) < 70))
        path = choices.path(tree, genomes[0])
        assert [condition.gene for condition in path] in ([HOURS], [AGE, HOURS], [HOURS, AGE])
        fork = next(condition for condition in path if condition.gene == HOURS)
        assert (fork.below, fork.cut) == (True, 20)
        assert fork.confidence == pytest.approx(0.63 if path[0] is fork else 0.9)

    def test_cuts_count_the_choices_only(self, domain_of, people):
        """Ages are listed from 20, and allowed from 25."""
        domain = domain_of(people, "domain")
        choices = Choices(domain)
        codes = domain.choices(AGE)
        assert domain.frame(np.tile(domain.rows[:1], (len(codes), 1)) * 0 + codes[:, None] * (np.arange(6) == AGE))[
            "age"
        ].tolist() == list(range(25, 61))
        genomes = np.zeros((2, 6), dtype=np.int32)
        genomes[:, AGE] = codes[[3, 4]]
        (condition,) = choices.path(DecisionTreeClassifier().fit(genomes, [0, 1]), genomes[0])
        assert (condition.gene, condition.below, condition.cut) == (AGE, True, 3)
        np.testing.assert_array_equal(choices.codes(choices.ranks(genomes))[:, AGE], genomes[:, AGE])


class TestBranches:
    path = (below(AGE, 9, 0.8), above(HOURS, 4, 0.6), below(0, 0, 0.9), below(AGE, 5, 0.2), above(DEBT, 3, 0.7))
    free = np.array([False, True, True, False, True, True])

    def test_local_ones_negate_each_condition_by_itself_but_for_protected_ones(self):
        branches = list(local_branches(self.path, self.free))
        assert [branch.path for branch in branches] == [
            (above(AGE, 9), *self.path[1:]),
            (self.path[0], below(HOURS, 4), *self.path[2:]),
            (*self.path[:3], above(AGE, 5), self.path[4]),
            (*self.path[:4], below(DEBT, 3)),
        ]

    def test_local_ones_move_the_gene_of_that_condition_only(self):
        needed = [branch.needed for branch in local_branches(self.path, self.free)]
        assert needed[0] == (above(AGE, 9), below(AGE, 5))
        assert needed[2] == (below(AGE, 9), above(AGE, 5))
        assert needed[3] == (below(DEBT, 3),)

    def test_global_ones_negate_the_end_of_each_prefix_up_to_the_first_doubtful_condition(self):
        branches = [branch.path for branch in global_branches(self.path, self.free, 0.3)]
        assert branches == [(above(AGE, 9),), (below(AGE, 9), below(HOURS, 4))]
        assert len(list(global_branches(self.path, self.free, 0.1))) == 4

    def test_a_negated_condition_is_as_confident_as_the_other_way_was_not(self):
        first, *_, last = global_branches(self.path, self.free, 0.3)
        assert first.confidence == pytest.approx(0.2)
        assert last.confidence == pytest.approx((0.8 + 0.4) / 2)


class TestSolvers:
    @pytest.fixture
    def paths(self, choices, rng):
        """(300,) of one to six random conditions, some of which contradict each other."""
        genes = rng.choice([AGE, JOB, HOURS, DEBT], (300, 6))
        cuts = rng.integers(-1, choices.sizes[genes])
        ways = rng.random((300, 6)) < 0.5
        return [
            tuple(Condition(int(g), bool(w), int(c), 0.5) for g, w, c in zip(*row, strict=True))[: 1 + place % 6]
            for place, row in enumerate(zip(genes, ways, cuts, strict=True))
        ]

    def test_both_solve_the_same_paths_within_bounds(self, choices, paths, rng):
        ranks = rng.integers(0, choices.sizes, (len(paths), 6)).astype(np.int32)
        (near, solvable), (any_value, satisfied) = (kind(choices).solve(ranks, paths) for kind in (BoxSolver, Z3Solver))
        np.testing.assert_array_equal(solvable, satisfied)
        assert 0.2 < solvable.mean() < 0.95
        for solution in (near, any_value):
            assert choices.meets(solution, paths)[solvable].all()
            assert ((solution >= 0) & (solution < choices.sizes))[solvable].all()

    @pytest.mark.parametrize("kind", [BoxSolver, Z3Solver])
    def test_genes_without_a_condition_stay(self, choices, paths, rng, kind):
        ranks = rng.integers(0, choices.sizes, (len(paths), 6)).astype(np.int32)
        solution, solved = kind(choices).solve(ranks, paths)
        for place in np.flatnonzero(solved):
            others = np.setdiff1d(np.arange(6), [condition.gene for condition in paths[place]])
            np.testing.assert_array_equal(solution[place, others], ranks[place, others])

    def test_boxes_move_a_gene_no_further_than_they_must(self, choices):
        ranks = np.full((3, 6), 10, dtype=np.int32)
        solution, _ = BoxSolver(choices).solve(ranks, [(above(AGE, 12),), (below(AGE, 4),), (below(AGE, 20),)])
        assert solution[:, AGE].tolist() == [13, 4, 10]

    def test_a_path_is_met_or_not(self, choices):
        ranks = np.minimum(np.full((3, 6), 10, dtype=np.int32), choices.sizes - 1)
        paths = [(below(AGE, 10), above(HOURS, 9)), (below(AGE, 9),), (above(HOURS, 10),)]
        assert choices.meets(ranks, paths).tolist() == [True, False, False]


class TestSeeds:
    def test_they_come_round_robin_from_four_clusters(self, people, context_of):
        context = context_of("batched")
        context.domain.rows[:, HOURS] = np.arange(len(people)) % 4 * 20_000
        first = next(SG().search(context))
        assert len(first) == 16
        for start in range(0, len(first), 4):
            assert len(set(context.domain.rows[first.anchor[start : start + 4], HOURS])) == 4


class TestNeighbourhoods:
    @pytest.mark.parametrize(
        ("manner", "batch_size", "left", "samples", "together"),
        [
            ("faithful", 8_192, None, 5_000, 1),
            ("faithful", 8_192, 2_000_000, 5_000, 1),
            ("faithful", 600, None, 600, 1),
            ("faithful", 64, 2_100, 10, 1),
            ("faithful", 64, 20, 2, 1),
            ("batched", 8_192, None, 512, 16),
            ("batched", 64, None, 32, 16),
            ("batched", 64, 2_100, 10, 16),
        ],
    )
    def test_small_budgets_make_them_small(self, context_of, manner, batch_size, left, samples, together):
        growth = _Growth(context_of(manner, batch_size=batch_size, left=left), 5_000, 0.3)
        inputs = growth.seeds(np.arange(together))
        assert growth._samples == samples
        assert growth._together == together
        assert len(growth.neighbourhoods(inputs)) == min(samples * together, left or 10**9)

    def test_the_input_is_the_first_of_values_of_the_data(self, context_of):
        context = context_of()
        growth = _Growth(context, 50, 0.3)
        seeds = context.domain.anchors[:2]
        genomes = growth.neighbourhoods(growth.seeds(seeds)).genomes.reshape(2, 50, 6)
        np.testing.assert_array_equal(genomes[:, 0], context.domain.rows[seeds])
        assert all(np.isin(genomes[..., gene], context.domain.rows[:, gene]).all() for gene in range(6))
        assert len(np.unique(genomes[0], axis=0)) > 40

    def test_what_is_left_is_enough_for_the_last(self, context_of):
        growth = _Growth(context_of(left=500), 5_000, 0.3)
        growth._samples, growth._left = 100, lambda: 37
        assert growth.neighbourhoods_a_round() == 1
        assert len(growth.neighbourhoods(growth.seeds(np.array([0])))) == 37


class TestQueue:
    def run(self, context, unfair, rounds=12, **options):
        """Batches and probes in turn, as a rule on age and hours labels them."""
        search = SG(**options).search(context)
        batches, probes = [], []
        proposal = next(search)
        while len(batches) < rounds:
            if isinstance(proposal, Probe):
                probes.append(proposal)
                rule = lambda genomes: (genomes[:, AGE] > 20) ^ (genomes[:, HOURS] > 500)  # noqa: E731
                proposal = search.send(answers_on(proposal, rule))
            else:
                batches.append(proposal)
                proposal = search.send(verdict_on(proposal, unfair(proposal)))
        return batches, probes

    def test_one_input_at_a_time_is_tested_and_then_explained(self, context_of):
        context = context_of(batch_size=300)
        batches, probes = self.run(context, lambda _: False)
        assert {len(batch) for batch in batches} == {1}
        assert {len(probe) for probe in probes} == {300}
        assert len(probes) in (len(batches) - 1, len(batches))
        for batch, probe in zip(batches, probes, strict=False):
            np.testing.assert_array_equal(batch.genomes[0], probe.genomes[0])

    def test_seeds_come_before_what_fair_ones_lead_to(self, context_of):
        context = context_of()
        batches, _ = self.run(context, lambda _: False, rounds=30)
        assert all((batch.genomes == context.domain.rows[batch.anchor]).all() for batch in batches)
        assert len({int(batch.anchor[0]) for batch in batches}) == 30

    def test_what_a_discriminatory_one_leads_to_comes_before_all_seeds_and_differs_in_one_gene(self, context_of):
        context = context_of()
        batches, _ = self.run(context, lambda _: True, rounds=8)
        first, *others = batches
        np.testing.assert_array_equal(first.genomes, context.domain.rows[first.anchor])
        assert {int(batch.anchor[0]) for batch in others} == {int(first.anchor[0])}
        assert (others[0].genomes != first.genomes).sum() == 1

    def test_global_ones_wait_for_all_seeds_of_their_lot(self, context_of):
        context = context_of()
        batches, _ = self.run(context, lambda _: False, rounds=12, seeds=5)
        real = [bool((batch.genomes == context.domain.rows[batch.anchor]).all()) for batch in batches]
        assert real[:5] == [True] * 5
        assert not real[5]

    def test_many_inputs_share_a_probe_and_a_batch(self, context_of):
        batches, probes = self.run(context_of("batched", batch_size=1_024), lambda _: False, rounds=4)
        assert len(batches[0]) == 16
        assert len(probes[0]) == 16 * 64
        assert len(batches[1]) > 16

    def test_no_path_is_explored_twice(self, context_of):
        growth = _Growth(context_of(), 50, 0.3)
        path = (below(AGE, 9, 0.8), above(HOURS, 4, 0.6))
        again = (below(AGE, 9, 0.7), above(HOURS, 4, 0.9))
        assert len(list(growth._new_branches(path, unfair=True))) == 3  # one is local and global
        assert list(growth._new_branches(again, unfair=True)) == []

    def test_priorities_are_the_published_ones(self, context_of):
        growth = _Growth(context_of(), 50, 0.3)
        path = (below(AGE, 9, 0.8), above(HOURS, 4, 0.6), above(0, 0, 0.1))
        found = [priority for priority, _ in growth._new_branches(path, unfair=True)]
        assert found == pytest.approx([1 + 0.9 / 3, 1 + 1.3 / 3, 10 - 0.2, 10 - (0.8 + 0.4) / 2])
        assert growth.seeds(np.array([0]))[0].priority == 5

    def test_fair_inputs_have_no_local_branches(self, context_of):
        growth = _Growth(context_of(), 50, 0.3)
        path = (below(AGE, 9, 0.8), above(HOURS, 4, 0.6))
        assert all(priority > 5 for priority, _ in growth._new_branches(path, unfair=False))


def test_a_solution_out_of_reach_that_leaves_its_path_is_dropped(context_of):
    """A job that differs is more than most rows' reach."""
    context = context_of("batched", "data")
    domain, growth = context.domain, _Growth(context, 50, 0.3)
    anchor = domain.anchors[domain.rows[domain.anchors, JOB] == 0]
    kept, genomes = growth._solved(domain.rows[anchor], anchor, [(above(JOB, 0),)] * len(anchor))
    assert 0 < len(kept) < len(anchor)
    assert (genomes[:, JOB] == 1).all()
    assert (domain.distance(genomes, domain.rows[anchor[kept]]) <= domain.radius + 1e-9).all()


def test_rows_come_again_until_nothing_new_comes_of_them(watch, domain_of, people, monkeypatch):
    """A rule that one gene decides, with few choices: a few laps, and every path to leave is known."""
    frame = people[["sex", "job"]].assign(rank=np.arange(len(people)) % 6)
    domain = domain_of(frame, "domain", schema=None)
    explained = []
    draw = _Growth.neighbourhoods
    monkeypatch.setattr(_Growth, "neighbourhoods", lambda self, ones: explained.extend(ones) or draw(self, ones))
    seen = watch("sg", domain, lambda rows: (rows["rank"] + (rows["sex"] == "Male") > 3) * 1.0, batches=500)
    assert seen.exhausted
    assert sum(len(verdict.tested) for verdict in seen.verdicts) == 18
    assert len(explained) >= 2 * 18  # the second time at least was in vain


def test_inputs_with_equal_priority_come_in_their_order():
    genome = np.zeros(6, dtype=np.int32)
    assert _Input(5.0, 1, genome, 0) < _Input(5.0, 2, genome, 0)
    assert _Input(1.9, 3, genome, 0) < _Input(5.0, 1, genome, 0)
