"""A user's texts as genomes."""

from expga.domain.text.domain import TextDomain

__all__ = ["TextDomain"]
