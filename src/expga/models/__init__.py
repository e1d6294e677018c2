"""Models of any make behind one contract."""

from expga.models.gradients import slopes_of
from expga.models.torch_table import TorchTable
from expga.models.wrap import wrap

__all__ = ["TorchTable", "slopes_of", "wrap"]
