"""Which words of a sentence may be replaced, and as which part of speech.

Precision first: a word gets a tag only where its neighbours vouch for it. A noun wants a determiner or an adjective
before it and no noun behind it, a verb its object behind it or its subject before it, and no preposition behind it, an
adjective its article, its noun, its copula or another adjective. Words whose substitutes were chosen by hand, to fit
nearly anywhere, need less: a tag that is rare for their form ("an entertaining book"), an adverb in more places.
Whatever is idiom, grammar or doubtful stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from expga.lexicon.expressions import expressions
from expga.lexicon.wordtable import WordTable


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BE = _set("be am is are was were been being s re m isn wasn aren weren isn't wasn't aren't weren't")
_HAVE = _set("have has had having haven hasn hadn haven't hasn't hadn't ve d")
_COPULAS = _BE | _set("seem seems seemed look looks looked feel feels felt become becomes became remain remains")
_SHORT_COPULAS = ("'s", "’s", "'re", "’re", "'m", "’m")
_BEFORE_INFINITIVE = _set("seem appear try attempt begin start")
"""Lemmas whose infinitive any of their substitutes can take."""
_MODALS = _set(
    "can could will would shall should may might must to do does did don doesn didn won couldn wouldn shouldn cannot "
    "ca wo don't doesn't didn't won't can't couldn't wouldn't shouldn't ll let's"
)
_DETERMINERS = _set(
    "the a an this that these those my your his her its our their some any every each no another both few several "
    "many such what whose which"
)
_SINGULAR_ONLY = _set("a an this that every each another")
_PLURAL_ONLY = _set("these those both few several many")
_SUBJECTS_OF_MANY = _set("i you we they who these those")
_SUBJECTS_OF_ONE = _set("he she it who which everyone everybody someone somebody nobody")
_SUBJECTS = _SUBJECTS_OF_MANY | _SUBJECTS_OF_ONE
_OBJECTS = _set("me you him her it us them myself yourself himself herself itself ourselves themselves")
_WHATEVER = _set("all more nothing anything something everything everyone everybody someone anyone")
"""What a verb may have as an object besides."""
_BEFORE_GERUND = _BE | _set("by of for without while when after before from besides despite through since in")
_JOINS = _set("and but or yet because although though while if when as")
_PREPOSITIONS = _set(
    "about above across after against ahead along among amongst around apart aside as at away back before behind "
    "below beneath beside between beyond by down during except for forth forward from in inside into like near next "
    "of off on onto out outside over past per since than through throughout till to together toward towards under "
    "until unto up upon via with within without"
)
_AFTER_VERB = _JOINS | _set("throughout during without despite since after before until unless once")
"""What may follow a verb and does not depend on it."""
_AFTER_ADJECTIVE = _AFTER_VERB | _set("from in on")
"""What may follow an adjective and does not depend on it: "it is funny throughout"."""
_NEGATIONS = _set("no not never none nothing nobody nowhere neither nor hardly scarcely barely rarely seldom without")
_DEGREE = _set(
    "very so too quite rather pretty fairly really just even more most less least much all almost enough far somewhat "
    "only also still always often ever never not n't nevertheless nonetheless as how truly "
    "extremely absolutely completely utterly"
)
_INTENSE = _set("very so too quite rather pretty fairly really more most less least as how truly extremely almost")
"""Adverbs of degree that stand before adjectives, not before verbs."""
_APPROXIMATE = _set("almost nearly absolutely really truly")
"""Adverbs that stand before determiners and numbers: "nearly every corner"."""
_COMPARISONS = {("as", "as"), ("more", "than"), ("less", "than"), ("so", "that")}
"""What stands around an adjective that is compared."""
_VERBS = ("VB", "VBP", "VBZ", "VBD", "VBN", "VBG")
_COORDINATES = ("and", "or", "but", "yet", "")
_SORTS = _set("kind kinds sort sorts type types")
_MEASURES = _set("deal many few lot lots bit while number numbers amount amounts")
"""Nouns before which an adjective tells an amount: "a good many"."""
_PRONOUNS = _set(
    "i me my mine myself you your yours yourself he him his himself she her hers herself it its itself we us our ours "
    "ourselves they them their theirs themselves who whom whose which what that this these those one ones anyone "
    "anybody anything everyone everybody everything someone somebody something other others another each either both "
    "all any some few many several such same own whoever whatever whichever"
)
_LIGHT = _set(
    "be being been have having has had do does did done doing make makes made making get gets got getting gotten go "
    "goes went gone going come comes came coming say says said saying tell tells told telling know "
    "knows knew known knowing want wants wanted wanting take takes took taken taking give gives gave given giving put "
    "puts putting let lets keep keeps kept keeping think "
    "thinks thought thinking look looks looked looking feel feels felt feeling find finds "
    "found finding turn turns turned turning become becomes became help helps helped run runs ran set sets show shows "
    "showed shown showing call calls called play plays played playing work works worked working bring brings brought "
    "leave leaves left leaving hold holds held mean means meant stop stops "
    "stopped happen happens happened end ends ended believe believes believed expect expected hope hoped wish wished "
    "wonder guess suppose supposed bet care cares matter matters star stars starring starred directed written "
    "produced based spend spent ask asked asks pay paid lose lost win won hear heard stand stands stood sit sat"
)
_TIME = _set(
    "second seconds minute minutes hour hours day days week weeks month months year years decade decades century "
    "centuries time times today tomorrow yesterday tonight morning evening night nights moment moments while now then "
    "ago again once twice soon later early late already monday tuesday wednesday thursday friday saturday sunday "
    "january february march april may june july august september october november december spring summer autumn "
    "winter"
)
_NUMBERS = _set(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands "
    "million millions billion billions dozen dozens half halves third thirds quarter first second fourth fifth sixth "
    "seventh eighth ninth tenth last next former latter previous following single double couple pair number numbers "
    "percent"
)
_VAGUE = _set(
    "thing things stuff way ways kind kinds sort sorts type types lot lots bit bits piece pieces rest "
    "point points fact case course example instance sense place reason reasons deal order terms amount amounts matter "
    "bunch ton tons plenty majority side sides level account spite favor end beginning top bottom middle back front "
    "line lines name names word words question questions people person "
    "man woman men women guy guys little better worse worst able due sure certain full main only worth ready "
    "different similar various available general particular right wrong left here there where "
    "why how however therefore thus hence instead else ever away yes please okay etc let like unlike "
    "together "
    "apart alone enough much more most less least so too just even also still always "
    "never far yet already anyway otherwise further indeed "
    "straight high low black white red green blue light heavy soft free open close wow"
)
_MOBILE = _set(
    "perhaps maybe probably presumably definitely certainly undoubtedly obviously clearly apparently seemingly "
    "especially particularly mostly mainly largely usually normally generally typically often frequently sometimes "
    "occasionally basically essentially exactly precisely unfortunately sadly fortunately luckily thankfully "
    "finally nevertheless nonetheless moreover furthermore ultimately eventually actually"
)
"""Adverbs that can stand anywhere."""
_COLOURS_AND_SIDES = _set(
    "black white red green blue yellow purple pink brown orange grey gray golden silver north south east west northern "
    "southern eastern western central upper lower left right inner outer noon midnight"
)
_GRAMMAR = _BE | _HAVE | _MODALS | _DETERMINERS | _PREPOSITIONS | _NEGATIONS | _PRONOUNS | _JOINS
"""Words that never count as a noun, a verb or an adjective, though "are" is a measure and "will" a document."""
_RIGID = (
    _GRAMMAR | _LIGHT | _TIME | _NUMBERS | _VAGUE | _COLOURS_AND_SIDES
    | _set("nor than whether unless until that because cinema")
)  # fmt: skip
_SOME = 8
"""Percent of a form's uses that make a tag more than a curiosity."""
_POSSIBLE = 15
"""Percent of a form's uses below which a tag is not considered, unless it has substitutes chosen by hand."""
_PLAIN = 85
"""Percent of a form's uses from which a tag needs little to vouch for it: no compound, an object behind a verb."""
_USUAL = 80
"""Percent of a form's uses from which a tag is taken though the neighbours allow another of its part of speech."""


def rigid(word: str) -> bool:
    """Whether a lower-case word is never replaced nor put in: grammar, negation, number, light verb, vague word."""
    return word in _RIGID


@dataclass(frozen=True, slots=True)
class _Sentence:
    """Lower-case words with empty strings where a clause ends, and what may be each word's tag."""

    words: Sequence[str]
    shares: Sequence[dict[str, int]]
    table: WordTable

    def past_adverbs(self, place: int) -> int:
        """The place of the word before, past adverbs of degree."""
        place -= 1
        while place > 0 and (self.words[place] in _DEGREE or self.words[place].endswith("ly")):
            place -= 1
        return place

    def before(self, place: int) -> str:
        """The word before, past adverbs of degree."""
        return self.words[self.past_adverbs(place)]

    def chosen(self, place: int, *tags: str) -> bool:
        """Whether a word has substitutes that were chosen by hand under one of the tags."""
        return any((self.words[place], tag) in self.table.chosen for tag in tags)

    def is_mostly(self, place: int, *tags: str) -> bool:
        shares = self.shares[place]
        return bool(shares) and any(shares.get(tag, 0) >= 50 for tag in tags)

    def adjectival(self, place: int) -> bool:
        return self.is_mostly(place, "JJ", "JJR", "JJS") or self.chosen(place, "JJ") or "-" in self.words[place]

    def begins_noun(self, place: int) -> bool:
        """Whether a noun stands at a place, or behind adjectives with or without "and" or a comma between them."""
        if place >= len(self.words) - 1 or self.is_mostly(place, "NN", "NNS"):
            return place < len(self.words) - 1
        if self.words[place] in _INTENSE or self.words[place].endswith("ly"):
            return self.begins_noun(place + 1)
        if not self.adjectival(place):
            return False
        return self.begins_noun(place + 1 + (self.words[place + 1] in _COORDINATES))

    def unknown(self, place: int) -> bool:
        """Whether the table has nothing to say of a word, as of a name."""
        return not self.shares[place] and bool(self.words[place]) and not rigid(self.words[place])


def _noun(at: _Sentence, i: int, tag: str) -> bool:
    before, after = at.words[i - 1], at.words[i + 1]
    led = before in _DETERMINERS and before not in (_PLURAL_ONLY if tag == "NN" else _SINGULAR_ONLY)
    led = led or before == "s" or before.endswith(("'s", "’s"))
    led = led or (at.is_mostly(i - 1, "VBG", "VBN") and at.words[i - 2] in _DETERMINERS)
    bare = tag == "NNS" or at.words[i] in at.table.mass
    bare = bare and (
        before == "" or before in _PREPOSITIONS or before in _JOINS or (tag == "NNS" and before in _NUMBERS)
    )
    chosen = at.chosen(i, tag)
    idiom = tag == "NN" and (before in ("in", "on", "at", "by") or after in ("of", "to", "with"))  # "in awe of"
    sort = before == "of" and at.words[i - 2] in _SORTS
    described = at.is_mostly(i - 1, "JJ", "JJR", "JJS") or "-" in before or at.chosen(i - 1, "JJ")
    compound = at.is_mostly(i - 1, "NN") and "VBZ" not in at.shares[i]  # "the film tunes into grief"
    return (
        (led or bare or sort or described or compound)
        and (not at.is_mostly(i + 1, "NN", "NNS") or (chosen and "VBZ" in at.shares[i + 1]))
        and (after != "to" or chosen)
        and (sort or before not in _PREPOSITIONS or after not in _PREPOSITIONS or (chosen and not idiom))
    )


def _adjective(at: _Sentence, i: int, tag: str) -> bool:
    place = at.past_adverbs(i)
    close, before, after = at.words[i - 1], at.words[place], at.words[i + 1]
    if at.words[i] in _DEGREE or after in _MEASURES:
        return False
    led = close == "s" or close in _DETERMINERS or close in _PREPOSITIONS
    noun = max(at.shares[i + 1].get("NN", 0), at.shares[i + 1].get("NNS", 0))
    if at.shares[i].get("NN", 0) >= _SOME:  # "the secret opens doors" against "the secret door"
        return at.is_mostly(i, tag) and noun >= (_POSSIBLE if before in ("a", "an") else _PLAIN)
    if at.begins_noun(i + 1) or (before in ("a", "an") and after != "to"):
        return True
    if led and (at.unknown(i + 1) or noun >= _POSSIBLE or at.is_mostly(i + 1, "VBG")):  # "the big ending"
        return True
    if tag != "JJ":
        return False
    if close == "how" or (close, after) in _COMPARISONS:
        return at.shares[i].get("RB", 0) < _SOME
    coordinated = (before in _COORDINATES and at.adjectival(place - 1)) or (
        after in _COORDINATES and (at.begins_noun(i + 2) or (after != "" and at.adjectival(i + 2)))
    )
    degree = close in _INTENSE or close.endswith("ly")
    copula = before in _COPULAS or before.endswith(_SHORT_COPULAS)
    copula = copula and (degree or not at.is_mostly(i, "VBG"))  # "the car is moving", "the story is very moving"
    vouched = copula or coordinated or (degree and (before == "" or at.chosen(i, tag)))
    if after == "to":
        return copula and at.chosen(i, tag)
    # "so bad it hurts"
    return vouched and (after == "" or after in _AFTER_ADJECTIVE or (close == "so" and after in _SUBJECTS))


def _adverb(at: _Sentence, i: int) -> bool:
    word, before, after = at.words[i], at.words[i - 1], at.words[i + 1]
    if word in _MOBILE:
        return True
    if word == "very":
        return (at.adjectival(i + 1) or at.is_mostly(i + 1, "RB")) and before != "the"  # "the very first"
    if not word.endswith("ly") and not at.chosen(i, "RB"):
        return False
    if at.adjectival(i + 1) or at.is_mostly(i + 1, "VB", "VBN", "VBD", "VBG", "VBZ") or after in _LIGHT:
        return True
    if before in _NEGATIONS or before == "n't":  # "not nearly as good"
        return False
    if after in _DETERMINERS or after in _NUMBERS or after in _WHATEVER:
        return word in _APPROXIMATE
    return at.is_mostly(i + 1, "RB") or (word.endswith("ly") and at.shares[i].get("RB", 0) >= _PLAIN)


def _object(at: _Sentence, i: int) -> bool:
    """Whether an object follows a verb."""
    after = at.words[i + 1]
    if after in _DETERMINERS:
        return after not in ("that", "what", "which")
    return (
        after in _OBJECTS
        or after in _WHATEVER
        or at.is_mostly(i + 1, "NNS")
        or (at.is_mostly(i + 1, "NN") and after in at.table.mass)
        or (at.adjectival(i + 1) and at.begins_noun(i + 2))
        or (at.chosen(i, *_VERBS) and (at.begins_noun(i + 1) or at.unknown(i + 1)) and not after.endswith("ly"))
    )


def _closes(at: _Sentence, i: int) -> bool:
    """Whether an object or the end of the clause follows a verb: nothing that the verb alone governs."""
    return at.words[i + 1] == "" or _object(at, i)


def _governs(at: _Sentence, i: int) -> bool:
    """Whether a verb has its infinitive: "seems to work", "tried to work"."""
    return at.words[i + 1] == "to" and at.table.bases.get(at.words[i]) in _BEFORE_INFINITIVE


def _finite(at: _Sentence, i: int, subjects: frozenset[str], *nouns: str) -> bool:
    """Whether a verb has a subject: a pronoun, or if an object follows a noun, or the clause before it."""
    if at.before(i) in subjects:
        return _closes(at, i)
    return _object(at, i) and (at.is_mostly(i - 1, *nouns) or at.words[i - 1] in ("and", "but"))


def _infinitive(at: _Sentence, i: int) -> bool:
    return at.before(i) in _MODALS and (_closes(at, i) or (at.chosen(i, "VB") and at.words[i + 1] in _AFTER_VERB))


def _present(at: _Sentence, i: int) -> bool:
    return _finite(at, i, _SUBJECTS_OF_MANY, "NNS")


def _third_person(at: _Sentence, i: int) -> bool:
    return _finite(at, i, _SUBJECTS_OF_ONE, "NN")


def _past(at: _Sentence, i: int) -> bool:
    return _finite(at, i, _SUBJECTS, "NN", "NNS")


def _participle(at: _Sentence, i: int) -> bool:
    before = at.before(i)
    if before in _BE:
        return at.words[i + 1] in ("", "by") or (at.chosen(i, "VBN") and at.words[i + 1] in _AFTER_ADJECTIVE)
    return before in _HAVE and _closes(at, i)


def _gerund(at: _Sentence, i: int) -> bool:
    opens = at.words[i - 1] == "" and not at.adjectival(i - 2)  # "a slick, engrossing melodrama"
    return (at.before(i) in _BEFORE_GERUND or opens) and _object(at, i)


_LICENCES: dict[str, Callable[[_Sentence, int], bool]] = {
    "NN": partial(_noun, tag="NN"),
    "NNS": partial(_noun, tag="NNS"),
    "JJ": partial(_adjective, tag="JJ"),
    "JJR": partial(_adjective, tag="JJR"),
    "JJS": partial(_adjective, tag="JJS"),
    "RB": _adverb,
    "VB": _infinitive,
    "VBP": _present,
    "VBZ": _third_person,
    "VBD": _past,
    "VBN": _participle,
    "VBG": _gerund,
}

_CLAUSE_END = re.compile(r"""[.!?,;:()\[\]{}<>"“”…]|--|``|[–—]|\n|\s-|-\s""")
_POSSESSIVE = re.compile(r"['’]s\b")


def tags(words: Sequence[str], table: WordTable, follows: Sequence[str] | None = None) -> list[str | None]:
    """The Penn tags of the words that may be replaced, None for all others.

    Args:
        words: the words of a sentence, or of a whole text, as they stand; punctuation is not among them.
        table: what is known about words.
        follows: the raw text between each word and the next; None: nothing but spaces.
    """
    # Clause ends become words of their own, two of them at either end, so that every rule can look around.
    padded, origin = ["", ""], []
    stiff: set[int] = set()
    for number, word in enumerate(words):
        origin.append(len(padded))
        if word != word.lower():
            stiff.add(len(padded))
        padded.append(word.lower())
        after = " " if follows is None else follows[number]
        if not after.isspace():
            if _POSSESSIVE.match(after):
                padded.append("s")
            if _CLAUSE_END.search(after):
                padded.append("")
            elif "'" not in after and "’" not in after and number < len(words) - 1:  # hyphens and other ties
                stiff.update((len(padded) - 1, len(padded)))
    padded += ["", ""]
    at = _Sentence(padded, [{} if word in _GRAMMAR else table.shares.get(word, {}) for word in padded], table)
    stiff |= expressions(padded, table)
    return [None if place in stiff else _tag(at, place) for place in origin]


def _tag(at: _Sentence, place: int) -> str | None:
    """The one kind of tag that the neighbours allow, or the usual one among those, or None."""
    if rigid(at.words[place]):
        return None
    shares = at.shares[place]
    if _governs(at, place):
        return next((tag for tag in shares if tag in _VERBS), None)
    allowed = [
        tag
        for tag, share in shares.items()
        if (share >= _POSSIBLE or at.chosen(place, tag)) and _LICENCES[tag](at, place)
    ]
    usual = max(allowed, key=lambda tag: shares[tag], default=None)
    if usual is not None:
        clear = shares[usual] >= _USUAL and len({tag[:2] for tag in allowed}) == 1
        return usual if len(allowed) == 1 or clear else None
    return next((tag for tag, share in shares.items() if share >= _PLAIN and _stands_free(at, place, tag)), None)


def _stands_free(at: _Sentence, i: int, tag: str) -> bool:
    """Whether a word that is usually nothing else is no half of a compound, and nothing that follows depends on it."""
    before, after = at.words[i - 1], at.words[i + 1]
    if tag == "JJ":
        return (not after or at.unknown(i + 1)) and before != "the"
    if tag not in ("NN", "NNS"):  # a verb with its object
        return tag in ("VB", "VBZ", "VBD", "VBG") and _object(at, i) and at.before(i) not in _BE | _HAVE
    if after == "to":
        return False
    if after in _PREPOSITIONS:
        return before not in _PREPOSITIONS
    verbal = after in _DETERMINERS or after in _OBJECTS or after.endswith("ly")
    return not at.unknown(i + 1) and not verbal and not at.is_mostly(i + 1, "NN", "NNS", "JJ")
