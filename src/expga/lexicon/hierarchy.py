"""WordNet's tree of persons: the chains that tie a word to `person`, to a gender or to a country."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from expga.lexicon.graph import IS_A, NOTHING, PERSON, RELATED_TO, Edge, group_node
from expga.lexicon.wordnet import Key, WordNet

SOURCE = "wordnet"
NOUN_FORMS = frozenset({"singular", "leader"})


class Hierarchy:
    """WordNet's nouns for persons.

    Args:
        net: the database.
    """

    def __init__(self, net: WordNet) -> None:
        self.net = net
        person = net.senses("person", "n")[0]
        self.person = person
        self.persons = net.below([person])
        self.kinds = {key for key in self.persons if not net.instance(key)}
        adult = {"female": "woman", "male": "man"}
        self.genders: dict[str, set[Key]] = {}
        for group, noun in adult.items():
            among = [key for key in net.senses(group, "n") if key in self.persons]
            self.genders[group] = net.below([*among, self._adult(noun)])
        self.peoples = net.below([key for key in net.senses("inhabitant", "n") if key in self.persons])

    def edges(self, known: Sequence[Edge], vocabulary: Collection[str] | None) -> list[Edge]:
        """The chains of the words in the graph, and those of the women, men and peoples that it does not know.

        Args:
            known: the graph so far.
            vocabulary: words in use; None: those that WordNet's tagged texts show.
        """
        found: list[Edge] = []
        listed = {edge.head for edge in known}
        for word in dict.fromkeys(edge.head for edge in known if edge.use != NOTHING and edge.form in NOUN_FORMS):
            senses = [key for key in self.net.senses(word, "n") if key in self.persons]
            found += self._chain(word, senses[:1])
        for word in self._unlisted(listed, vocabulary):
            found += self._chain(word, self.net.senses(word, "n")[:1])
        return list(dict.fromkeys([*self._ends({edge.tail for edge in found}), *found]))

    def is_person(self, word: str) -> bool:
        """Whether the usual sense of a word, or of its singular, is a person, and it is nothing but a noun."""
        if self.net.pos(word) not in ((), ("n",)):
            return False
        return any(key in self.kinds for stem in stems(word) for key in self.net.senses(stem, "n")[:1])

    def _adult(self, noun: str) -> Key:
        return next(key for key in self.net.senses(noun, "n") if key in self.persons)

    def _unlisted(self, listed: set[str], vocabulary: Collection[str] | None) -> Iterable[str]:
        """Words whose only sense is a woman, a man or a member of a people."""
        wanted = set().union(*self.genders.values()) | self.peoples
        for key in sorted(wanted):
            for written in self.net.words(key):
                word = written.lower()
                used = self.net.tagged(word, "n") > 0 if vocabulary is None else word in vocabulary
                usual = key in self.kinds and self.net.senses(word, "n") == (key,) and self.net.pos(word) == ("n",)
                if used and usual and word.isalpha() and word not in listed:
                    yield word

    def _chain(self, word: str, start: Sequence[Key]) -> list[Edge]:
        """From a word upwards to the person."""
        found: list[Edge] = []
        head = word
        for key in start:
            while key != self.person:
                above = [parent for parent in self.net.hypernyms(key) if parent in self.persons]
                if not above:
                    break
                key = above[0]
                tail = PERSON if key == self.person else self._node(key)
                if tail != head:
                    found.append(Edge(head, IS_A, tail, SOURCE))
                head = tail
        return found

    def _ends(self, nodes: set[str]) -> list[Edge]:
        """Where the chains meet the groups and the attributes."""
        found = []
        for group, keys in self.genders.items():
            roots = [key for key in sorted(keys) if not set(self.net.hypernyms(key)) & keys]
            found += [Edge(self._node(key), IS_A, group_node("gender", group), SOURCE) for key in roots]
        found += [
            Edge(self._node(key), RELATED_TO, "country", SOURCE) for key in self.net.senses("inhabitant", "n")[:1]
        ]
        return [edge for edge in found if edge.head in nodes]

    def _node(self, key: Key) -> str:
        word = self.net.words(key)[0].lower()
        number = self.net.senses(word, "n").index(key) + 1
        return f"wn:{word}" if number == 1 else f"wn:{word} {number}"


def stems(word: str) -> tuple[str, ...]:
    """A word and what it may be the plural of."""
    found = [word]
    if word.endswith("ies"):
        found.append(word[:-3] + "y")
    if word.endswith("men"):
        found.append(word[:-2] + "an")
    if word.endswith("es"):
        found.append(word[:-2])
    if word.endswith("s"):
        found.append(word[:-1])
    return tuple(found)
