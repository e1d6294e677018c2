"""What may stand in the place of the words that no reading changes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from expga.domain.text.domain import Candidates
from expga.domain.text.words import Words
from expga.lexicon import Lexicon


def candidates(lexicon: Lexicon, vectors: str | Path | None = None) -> Candidates:
    """A finder of substitutes: near words of the same part of speech and inflection, none of them sensitive.

    Args:
        lexicon: which words are sensitive: they are neither replaced nor put in.
        vectors: a GloVe file; None: the vectors that come with the package.
    """
    from expga.lexicon.embeddings import load_vectors
    from expga.lexicon.substitutes import Substitutes
    from expga.lexicon.tagging import tags
    from expga.lexicon.wordtable import load_words

    known = load_vectors(vectors)  # a bad file is told of before anything is asked

    def find(texts: Sequence[Words]) -> list[dict[int, tuple[str, ...]]]:
        table = load_words()
        wanted: dict[tuple[str, str], int] = {}
        places: list[dict[int, int]] = []
        for words in texts:
            tagged = tags(words.words, table, words.follows)
            places.append(
                {
                    place: wanted.setdefault((words.lower[place], tag), len(wanted))
                    for place, tag in enumerate(tagged)
                    if tag is not None and not lexicon.sensitive(words.lower[place])
                }
            )
        found = Substitutes(known, table, lexicon.sensitive).find(list(wanted))
        return [{place: found[number] for place, number in text.items()} for text in places]

    return find
