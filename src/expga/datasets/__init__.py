"""The datasets that come with the library, each with a schema of what its rows may look like; and texts."""

from expga.datasets.catalogue import DATASETS, Dataset, Source, load, names
from expga.datasets.encoding import literature_bounds
from expga.datasets.reviews import TextData, load_texts, text_names

__all__ = [
    "DATASETS",
    "Dataset",
    "Source",
    "TextData",
    "literature_bounds",
    "load",
    "load_texts",
    "names",
    "text_names",
]
