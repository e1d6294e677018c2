"""The numbers of the paper's tables 3 to 9, as data: measured elsewhere, by others, on other machines.

Source: Fan, Wei, Jin, Yang, Liu: Explanation-Guided Fairness Testing through Genetic Algorithm, ICSE 2022. Tables 3
to 5 are of one hour a run. DSS is in seconds. Attributes and models have this bench's names: the paper says gender
for sex, and RF for the forest.
"""

from __future__ import annotations

from dataclasses import dataclass

SOURCE = "Fan et al., ICSE 2022"
ELSEWHERE = "measured elsewhere"


@dataclass(frozen=True, slots=True)
class Published:
    """One entry of a table of the paper."""

    table: int
    tested: int
    """TSN"""
    found: int
    """DSN"""
    seconds_per_finding: float | None
    """DSS; None where nothing was found."""
    success_rate: float
    """SUR"""


Place = tuple[str, str, str, str]
"""Data, attribute, model, method."""

_PAIRS = (
    ("census", "sex"),
    ("census", "age"),
    ("census", "race"),
    ("credit", "sex"),
    ("credit", "age"),
    ("bank", "age"),
)

_TABLES: dict[tuple[int, str, str], tuple[tuple[int, int, float | None, float], ...]] = {
    (3, "mlp", "expga-published"): (
        (491_323, 141_049, 0.03, 0.2870),
        (43_465, 29_467, 0.12, 0.6779),
        (90_303, 30_171, 0.12, 0.3341),
        (281_130, 65_009, 0.06, 0.2312),
        (46_357, 34_048, 0.11, 0.7344),
        (46_802, 27_099, 0.13, 0.5790),
    ),
    (3, "mlp", "aequitas"): (
        (85_629, 1_797, 2.00, 0.0210),
        (12_243, 1_107, 3.25, 0.0904),
        (22_053, 551, 6.53, 0.0250),
        (38_096, 1_596, 2.26, 0.0419),
        (11_756, 5_146, 0.70, 0.4377),
        (14_808, 2_915, 1.23, 0.1968),
    ),
    (3, "mlp", "sg"): (
        (7_070, 871, 4.13, 0.1231),
        (4_190, 1_530, 2.35, 0.3651),
        (4_355, 588, 6.12, 0.1350),
        (7_569, 1_321, 2.73, 0.1745),
        (7_699, 4_659, 0.77, 0.605),
        (3_776, 2_592, 1.39, 0.6863),
    ),
    (3, "mlp", "adf"): (
        (116_119, 24_974, 0.14, 0.2151),
        (40_135, 21_795, 0.17, 0.5430),
        (47_296, 8_097, 0.44, 0.1712),
        (62_242, 8_052, 0.45, 0.1293),
        (21_649, 5_957, 0.60, 0.2751),
        (27_325, 11_852, 0.30, 0.4337),
    ),
    (4, "forest", "expga-published"): (
        (274_521, 156_259, 0.02, 0.5692),
        (51_192, 46_035, 0.08, 0.8993),
        (78_349, 47_810, 0.08, 0.6102),
        (20_295, 4_247, 0.85, 0.2093),
        (10_183, 3_673, 0.98, 0.3607),
        (13_284, 8_885, 0.41, 0.6699),
    ),
    (4, "forest", "aequitas"): (
        (56_776, 1_210, 2.98, 0.0213),
        (21_330, 13_472, 0.27, 0.6316),
        (29_309, 362, 9.94, 0.0124),
        (3_245, 148, 24.32, 0.0456),  # printed as 24,32
        (869, 153, 23.53, 0.1760),
        (3_952, 941, 3.83, 0.2381),
    ),
    (4, "forest", "sg"): (
        (10_906, 595, 6.05, 0.0546),
        (17_400, 12_441, 0.29, 0.7150),
        (12_572, 894, 4.03, 0.0711),
        (7_269, 2_192, 1.64, 0.3015),
        (6_349, 2_654, 1.36, 0.4180),
        (3_871, 2_530, 1.42, 0.6536),
    ),
    (5, "svm", "expga-published"): (
        (804_328, 145_226, 0.02, 0.1806),
        (124_816, 78_064, 0.05, 0.6254),
        (226_434, 78_627, 0.05, 0.3472),
        (118_428, 47_570, 0.08, 0.4017),
        (21_058, 9_377, 0.38, 0.4453),
        (42_746, 29_574, 0.12, 0.6919),
    ),
    (5, "svm", "aequitas"): (
        (109_706, 386, 9.33, 0.0035),
        (81_275, 2_489, 1.45, 0.0306),
        (62_954, 277, 13.0, 0.0044),
        (152_432, 3_683, 0.98, 0.0242),
        (53_344, 8_419, 0.43, 0.1578),
        (31_276, 41, 87.80, 0.0013),
    ),
    (5, "svm", "sg"): (
        (1_119, 0, None, 0.0),
        (2_998, 624, 5.77, 0.2081),
        (1_141, 0, None, 0.0),
        (9_204, 1_912, 1.88, 0.2077),
        (7_952, 1_918, 1.88, 0.2412),
        (744, 248, 14.52, 0.3333),
    ),
}

_TEXTS: dict[Place, Published] = {
    ("imdb", "gender", "cnn", "expga-published"): Published(6, 44_381, 2_477, 16.42, 0.0560),
    ("imdb", "country", "cnn", "expga-published"): Published(6, 24_405, 357, 118.8, 0.0146),
    ("sst", "gender", "cnn", "expga-published"): Published(6, 4_579, 105, 14.6, 0.0229),
    ("sst", "country", "cnn", "expga-published"): Published(6, 4_669, 252, 4.8, 0.0540),
    ("imdb", "gender", "lr", "expga-published"): Published(7, 77_898, 1_292, 13.29, 0.0166),
    ("imdb", "country", "lr", "expga-published"): Published(7, 17_245, 257, 46.76, 0.0149),
    ("sst", "gender", "lr", "expga-published"): Published(7, 10_977, 620, 2.39, 0.0565),
    ("sst", "country", "lr", "expga-published"): Published(7, 4_932, 234, 4.90, 0.0474),
    ("imdb", "gender", "cnn", "mtnlp"): Published(8, 174_183, 1_111, 90.73, 0.0064),
    ("imdb", "gender", "lr", "mtnlp"): Published(8, 174_183, 1_322, 76.25, 0.0076),
}

PUBLISHED: dict[Place, Published] = {
    (data, attribute, model, method): Published(table, *numbers)
    for (table, model, method), rows in _TABLES.items()
    for (data, attribute), numbers in zip(_PAIRS, rows, strict=True)
} | _TEXTS


def published(data: str, attribute: str, model: str, method: str) -> Published | None:
    """What the paper reports for a cell; our own recipe `expga` stands beside the paper's ExpGA."""
    return PUBLISHED.get((data, attribute, model, "expga-published" if method == "expga" else method))


@dataclass(frozen=True, slots=True)
class PublishedRepair:
    """One row of table 9: a model before and after it was fitted again with what was found."""

    added: float
    """Samples added, as a share of the data."""
    accuracy: tuple[float, float]
    still: float
    """Of the samples found before, the share that is still discriminatory; all of them were."""
    seconds_per_finding: tuple[float, float]
    success_rate: tuple[float, float]


REPAIRED: dict[tuple[str, str, str], PublishedRepair] = {
    ("census", "sex", "mlp"): PublishedRepair(0.10, (0.8465, 0.8441), 0.001, (0.03, 0.37), (0.2870, 0.1114)),
    ("census", "age", "mlp"): PublishedRepair(0.10, (0.8465, 0.8330), 0.039, (0.12, 0.23), (0.6779, 0.1987)),
    ("census", "race", "mlp"): PublishedRepair(0.10, (0.8465, 0.8460), 0.017, (0.12, 0.17), (0.3341, 0.2250)),
    ("credit", "sex", "mlp"): PublishedRepair(0.10, (0.7417, 0.7422), 0.023, (0.06, 0.18), (0.2312, 0.1397)),
    ("credit", "age", "mlp"): PublishedRepair(0.10, (0.7417, 0.7581), 0.078, (0.11, 0.15), (0.7344, 0.5362)),
    ("bank", "age", "mlp"): PublishedRepair(0.10, (0.8952, 0.8940), 0.084, (0.13, 0.33), (0.5790, 0.4165)),
    ("imdb", "gender", "cnn"): PublishedRepair(0.0258, (0.8755, 0.8624), 0.0067, (16.42, 211.48), (0.0560, 0.0048)),
    ("imdb", "country", "cnn"): PublishedRepair(0.0072, (0.8755, 0.8570), 0.0, (118.8, 334.07), (0.0146, 0.0045)),
    ("sst", "gender", "cnn"): PublishedRepair(0.0731, (0.7950, 0.7882), 0.0, (14.6, 107.72), (0.0229, 0.0116)),
    ("sst", "country", "cnn"): PublishedRepair(0.0182, (0.7950, 0.7770), 0.057, (4.8, 576.56), (0.0540, 0.0031)),
}
"""Table 9 by data, attribute and model. It names no model; its figures before are those of tables 3 and 6."""
