"""Where a text mentions a protected attribute: which words, of which group, in which form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from expga.domain.text.words import Words
from expga.lexicon import Lexicon, Sense
from expga.lexicon.wordtable import load_words

NAME = "name"
ADJECTIVE = 50
"""Percent of a word's uses from which it counts as an adjective, or a participle that stands as one."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PRONOUNS = _words("subject object possessive possessive-pronoun reflexive")
MASCULINE, FEMININE = _words("he him his himself"), _words("she her hers herself")
TITLES = _words("mr mrs ms miss sir madam aunt uncle")
DETERMINERS = _words(
    "a an the this that these those my your his her its our their some any each every another no one two three which "
    "what whose first second last own other many several"
)
PREPOSITIONS = _words(
    "of in on at by for with without from to into onto about as like than over under after before between through "
    "during against among toward towards upon off out up down"
)
CLOSED = (
    DETERMINERS
    | PREPOSITIONS
    | _words(
        "and or but nor so yet if because although though while when where why how who whom that whether once since "
        "until unless i you he she it we they me him us them himself herself itself themselves am is are was were be "
        "been being do does did done have has had having will would can could shall should may might must not never "
        "n't re ve ll d s ain't isn't wasn't aren't weren't don't doesn't didn't won't wouldn't can't cannot couldn't "
        "shouldn't hasn't haven't hadn't too also just even still only then there here now again very really more "
        "most less least"
    )
)
HEADS = _words("own first second last other")
INSIDE = HEADS | _words("only very most every one two three many several once now still")
"""Function words that can stand inside a noun phrase; of those, the ones that can end it."""
OBJECTS = _words("him them me us")
PART_OF_A_REGION = _words(
    "north south east west northern southern eastern western latin central native african asian all"
)
FIXED = frozenset(
    f"{nation} {thing}"
    for nation, things in {
        "american": "pie beauty psycho idol graffiti",
        "english": "patient",
        "french": "connection kiss fries press",
        "german": "shepherd",
        "indian": "summer",
        "italian": "job",
        "russian": "roulette",
        "spanish": "inquisition",
    }.items()
    for thing in things.split()
)
"""What is not about a nationality though it begins with one."""
CAUSES = _words(
    "make makes made making let lets letting help helps helped helping see sees saw seen seeing watch watches watched "
    "watching hear hears heard hearing"
)
"""Verbs whose object does something: they watched her sing."""
PLAIN_VERBS = _words("go be do have get come say know think take give leave see find become look feel seem")
RARELY, MOSTLY = 7, 75
"""Percent of a word's uses."""
_OPENS_NOUN = re.compile(r"\s+(?:[\"“‘'`]+|\d+\s*)")
LANGUAGE_BEFORE = _words("in into speak speaks speaking spoke spoken learn learns learned from language")


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a text, from the first to the last, that tell a person's group or could take a modifier."""

    first: int
    last: int
    sense: Sense

    @property
    def neutral(self) -> bool:
        """Whether it only names a person, so that a modifier must tell the group."""
        return not self.sense.group


def mentions_of(words: Words, lexicon: Lexicon, attributes: Sequence[str]) -> list[Mention]:
    """All mentions in a text of some attributes, in order; each word belongs to one at most."""
    found = []
    place = 0
    while place < len(words):
        mention = next(_at(words, place, lexicon, attributes), None)
        if mention is not None:
            found.append(mention)
            place = mention.last
        place += 1
    return _with_all_of_each_name(words, [m for m in found if not _names_both(words, m)])


def _names_both(words: Words, mention: Mention) -> bool:
    """Whether a pronoun is half of "he or she", which speaks of everybody."""
    if mention.sense.form not in PRONOUNS:
        return False
    opposite = FEMININE if words.lower[mention.first] in MASCULINE else MASCULINE
    around = (mention.first - 2, mention.first - 1), (mention.first + 2, mention.first + 1)
    return any(
        0 <= other < len(words) and words.lower[link] == "or" and words.lower[other] in opposite
        for other, link in around
    )


def _with_all_of_each_name(words: Words, found: list[Mention]) -> list[Mention]:
    """The mentions, and every other place where a name among them is written."""
    names = {words.words[mention.first]: mention.sense for mention in found if mention.sense.family == NAME}
    taken = {place for mention in found for place in range(mention.first, mention.last + 1)}
    more = [
        Mention(place, place, names[word])
        for place, word in enumerate(words.words)
        if word in names and place not in taken
    ]
    return sorted([*found, *more], key=lambda mention: mention.first)


def _at(words: Words, place: int, lexicon: Lexicon, attributes: Sequence[str]) -> Iterator[Mention]:
    """The mentions that begin at a word, the longest first."""
    for length in range(min(lexicon.longest, len(words) - place), 0, -1):
        last = place + length - 1
        entry = words.lower[place] if length == 1 else " ".join(words.lower[place : last + 1])
        senses = lexicon.senses(entry)
        if not senses or not words.joined(place, last):
            continue
        for attribute in attributes:
            mine = [s for s in senses if s.attribute == attribute and _possible(words, place, last, s, lexicon)]
            sense = _resolved(words, place, last, mine)
            if sense is not None:
                yield Mention(place, last, sense)


def _possible(words: Words, first: int, last: int, sense: Sense, lexicon: Lexicon) -> bool:
    """Whether what stands around the words lets them have that sense."""
    if sense.cased and not words.words[first][0].isupper():
        return False
    if sense.cased and sense.family != NAME and words.starts_sentence(first):
        return False
    if sense.noun and not _stands_as_noun(words, first, last):
        return False
    if not sense.group and not _leads_to(words, first, sense.form == "plural"):
        return False
    if sense.family == "nation" and sense.form != "people" and _is_fixed(words, first, last):
        return False
    if sense.form == "place" and _noun_follows(words, last):
        return False  # it stands as an adjective: "US audiences"
    if lexicon.beside_person(words.lower[last]) and not _before_person(words, last, lexicon):
        return False
    return not _in_title(words, first, last, sense)


def _leads_to(words: Words, place: int, plural: bool) -> bool:
    """Whether a modifier can stand in front of a word: after a determiner, a preposition, or adjectives behind one."""
    while place > 0 and words.follows[place - 1].isspace():
        before = words.lower[place - 1]
        if before in DETERMINERS or before in PREPOSITIONS or before in ("and", "or", "but"):
            return True
        shares = load_words().shares.get(before, {})
        if max(shares.get(tag, 0) for tag in ("JJ", "JJR", "JJS", "VBN", "VBG")) < ADJECTIVE:
            return False
        place -= 1
    return plural or (place > 0 and words.follows[place - 1].strip().lower() in ("'s", "’s"))


def _is_fixed(words: Words, first: int, last: int) -> bool:
    """Whether a nationality is part of something else: South American, American Pie."""
    before = words.lower[first - 1] if first and words.joined(first - 1, first) else ""
    after = (_next(words, last) or "").partition("-")[0]
    return before in PART_OF_A_REGION or f"{words.lower[last]} {after}" in FIXED


def _stands_as_noun(words: Words, first: int, last: int) -> bool:
    """Whether a word that can be a verb is a noun here: after a determiner, a preposition or an adjective of one."""
    between = words.follows[first - 1].strip().lower() if first else "start"
    before = words.lower[first - 1] if first else ""
    if between not in ("", "'s", "’s") or (before == "to" and not between):
        return False
    direct = bool(between) or before in DETERMINERS or before in PREPOSITIONS
    one_between = first > 1 and words.lower[first - 2] in DETERMINERS and before not in CLOSED
    after = _next(words, last)
    return (direct or one_between) and after not in ("a", "an", "the", "him", "her", "them", "it", "us", "me")


def _before_person(words: Words, last: int, lexicon: Lexicon) -> bool:
    """Whether the next word, or the one behind another such adjective, names a person."""
    while (after := _next(words, last)) and lexicon.beside_person(after):
        last += 1
    return after is not None and lexicon.person(after)


def _in_title(words: Words, first: int, last: int, sense: Sense) -> bool:
    """Whether capitals around the words make them part of a name: King Kong, American Beauty, Bank of America."""
    if sense.form in PRONOUNS:
        return False
    if words.lower[first] in TITLES or not words.words[first][0].isupper():
        return False
    after = last + 1 < len(words) and words.joined(last, last + 1) and words.capital(last + 1)
    before = not words.starts_sentence(first) and words.joined(first - 1, first) and _named_by(words, first - 1)
    if sense.family == NAME:
        return before
    part_of = first > 1 and words.lower[first - 1] == "of" and words.capital(first - 2)
    return after or before or (sense.form == "place" and part_of)


def _named_by(words: Words, place: int) -> bool:
    """Whether a capital that no sentence begins with, and no title, shows a name."""
    return words.capital(place) and not words.starts_sentence(place) and words.lower[place] not in TITLES


def _resolved(words: Words, first: int, last: int, senses: list[Sense]) -> Sense | None:
    """The one sense that the neighbours speak for; None where they speak for none."""
    by_form = {sense.form: sense for sense in reversed(senses)}
    if len(by_form) < 2:
        only = next(iter(by_form.values()), None)
        return None if only is not None and only.form == "adjective" and _is_language(words, first, last) else only
    noun_follows = _noun_follows(words, last)
    if "possessive" in by_form:
        other = by_form.get("object") or by_form.get("possessive-pronoun")
        return by_form["possessive"] if noun_follows and not _acts(words, first, last) else other
    before = words.lower[first - 1] if first and words.joined(first - 1, first) else ""
    if noun_follows and "adjective" in by_form:
        return by_form["adjective"]
    if before in ("a", "an", "this", "that", "one", "another", "every", "each") and "singular" in by_form:
        return by_form["singular"]
    if before in ("the", "these", "those", "many") and "people" in by_form:
        return by_form["people"]
    if "place" in by_form:
        return by_form["place"]
    if "adjective" in by_form:
        return None if _is_language(words, first, last) else by_form["adjective"]
    return next(iter(senses))


def _is_language(words: Words, first: int, last: int) -> bool:
    before = words.lower[first - 1] if first else ""
    return before in LANGUAGE_BEFORE and not _noun_follows(words, last)


def _noun_follows(words: Words, last: int) -> bool:
    """Whether a noun phrase follows at once."""
    if last + 1 < len(words) and _OPENS_NOUN.fullmatch(words.follows[last]):
        return True  # "her 19 sisters", "her 'condition'"
    ended = False
    while (after := _next(words, last)) in INSIDE:
        ended, last = after in HEADS, last + 1
    if after is None or after in CLOSED:
        return ended
    then = _next(words, last + 1)
    if then in OBJECTS or (then == "it" and _ends_clause(words, last + 2)):
        return False  # a verb with its object: "the Chinese love it"
    return (then is not None and then not in CLOSED) or _can_be_noun(after) or _another_follows(words, last + 1)


def _ends_clause(words: Words, place: int) -> bool:
    """Whether a sign of punctuation, or nothing, follows a word; not an apostrophe."""
    return _next(words, place) is None and not words.follows[place].lstrip().startswith(("'", "’"))


def _another_follows(words: Words, place: int) -> bool:
    """Whether an adjective is one of several before a noun: her big, beautiful eyes; her severed and bloody arm."""
    between = words.follows[place].strip()
    if between == "," and place + 1 < len(words):
        return words.lower[place + 1] not in CLOSED
    joined = _next(words, place) in ("and", "or", "but") and _next(words, place + 1) is not None
    return joined and (_next(words, place + 2) or "and") not in CLOSED


def _can_be_noun(word: str) -> bool:
    """Whether a word can end a noun phrase: family, acting, best; not famous, sing, dearly."""
    shares = load_words().shares.get(word, {})
    if not any(shares.values()):
        return not word.endswith("ly")
    return sum(shares.get(tag, 0) for tag in ("NN", "NNS", "VBG", "JJS")) >= RARELY


def _acts(words: Words, first: int, last: int) -> bool:
    """Whether the person does what the next word says: they made her laugh, let her go."""
    after = _next(words, last)
    if after is None or not first or words.lower[first - 1] not in CAUSES or not words.joined(first - 1, first):
        return False
    return after in PLAIN_VERBS or load_words().shares.get(after, {}).get("VB", 0) >= MOSTLY


def _next(words: Words, last: int) -> str | None:
    return words.lower[last + 1] if last + 1 < len(words) and words.joined(last, last + 1) else None
