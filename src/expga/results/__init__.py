"""What an audit came to, and files that hold it."""

from expga.results.audit import KIND, Audit, files_of, parquet_of, summarise
from expga.results.outputs import OUTPUTS, Output, Outputs, names_of, outputs_of

__all__ = [
    "KIND",
    "OUTPUTS",
    "Audit",
    "Output",
    "Outputs",
    "files_of",
    "names_of",
    "outputs_of",
    "parquet_of",
    "summarise",
]
