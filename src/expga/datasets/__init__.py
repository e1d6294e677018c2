"""The datasets that come with the library, each with a schema of what its rows may look like."""

from expga.datasets.catalogue import Dataset, load, names
from expga.datasets.encoding import literature_bounds

__all__ = ["Dataset", "literature_bounds", "load", "names"]
