"""What every strategy owes, as tests of pytest: to be run on a strategy, or a kind of subject, of one's own.

    from expga.testing import Conformance, tables, texts

    class TestMine(Conformance):
        target = Mine
        subjects = [tables(), texts()]

`Target` says what a strategy costs or lacks, `Specimen` what it is tried on. pytest is needed here, and nowhere else.
"""

import pytest

pytest.register_assert_rewrite(*(f"{__name__}.{module}" for module in ("conformance", "specimen", "tables", "texts")))

from expga.testing.case import Case, Target  # noqa: E402 - failures of what is imported now show what they compare
from expga.testing.conformance import Conformance  # noqa: E402
from expga.testing.specimen import Ending, Specimen, Variation  # noqa: E402
from expga.testing.tables import tables  # noqa: E402
from expga.testing.texts import texts  # noqa: E402

__all__ = ["Case", "Conformance", "Ending", "Specimen", "Target", "Variation", "tables", "texts"]
