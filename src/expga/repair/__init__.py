"""From what an audit found to a fairer model, with evidence."""

from expga.repair.averaged import Averaged
from expga.repair.repairs import REPAIRS, Repair
from expga.repair.result import Retrained
from expga.repair.run import retrain

__all__ = ["REPAIRS", "Averaged", "Repair", "Retrained", "retrain"]
