"""Models of any make behind one contract."""

from expga.models.adapters import ADAPTERS, Adapter, Permission, adapted
from expga.models.calls import Reach, attribute
from expga.models.gradients import gradients_of
from expga.models.reaching import in_this_process
from expga.models.torch_table import TorchTable
from expga.models.trial import Allowance, FirstAnswers
from expga.models.wrap import Known, Learnt, learn, wrap
from expga.models.wrapped import functions_of, gives_scores

__all__ = [
    "ADAPTERS",
    "Adapter",
    "Allowance",
    "FirstAnswers",
    "Known",
    "Learnt",
    "Permission",
    "Reach",
    "TorchTable",
    "adapted",
    "attribute",
    "functions_of",
    "gives_scores",
    "gradients_of",
    "in_this_process",
    "learn",
    "wrap",
]
