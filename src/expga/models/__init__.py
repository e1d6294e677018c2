"""Models of any make behind one contract."""

from expga.models.calls import Reach, in_this_process
from expga.models.gradients import slopes_of
from expga.models.torch_table import TorchTable
from expga.models.trial import Allowance, FirstAnswers
from expga.models.wrap import Learnt, learn, wrap

__all__ = [
    "Allowance",
    "FirstAnswers",
    "Learnt",
    "Reach",
    "TorchTable",
    "in_this_process",
    "learn",
    "slopes_of",
    "wrap",
]
