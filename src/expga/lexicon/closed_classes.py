"""English words that come in small sets, by which the tags of others are known: grammar, measures, vague words."""

from __future__ import annotations


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


BE = _set("be am is are was were been being s re m isn wasn aren weren isn't wasn't aren't weren't")
HAVE = _set("have has had having haven hasn hadn haven't hasn't hadn't ve d")
COPULAS = BE | _set("seem seems seemed look looks looked feel feels felt become becomes became remain remains")
SHORT_COPULAS = ("'s", "’s", "'re", "’re", "'m", "’m")
BEFORE_INFINITIVE = _set("seem appear try attempt begin start")
"""Lemmas whose infinitive any of their substitutes can take."""
MODALS = _set(
    "can could will would shall should may might must to do does did don doesn didn won couldn wouldn shouldn cannot "
    "ca wo don't doesn't didn't won't can't couldn't wouldn't shouldn't ll let's"
)
DETERMINERS = _set(
    "the a an this that these those my your his her its our their some any every each no another both few several "
    "many such what whose which"
)
SINGULAR_ONLY = _set("a an this that every each another")
PLURAL_ONLY = _set("these those both few several many")
SUBJECTS_OF_MANY = _set("i you we they who these those")
SUBJECTS_OF_ONE = _set("he she it who which everyone everybody someone somebody nobody")
SUBJECTS = SUBJECTS_OF_MANY | SUBJECTS_OF_ONE
OBJECTS = _set("me you him her it us them myself yourself himself herself itself ourselves themselves")
WHATEVER = _set("all more nothing anything something everything everyone everybody someone anyone")
"""What a verb may have as an object besides."""
BEFORE_GERUND = BE | _set("by of for without while when after before from besides despite through since in")
JOINS = _set("and but or yet because although though while if when as")
PREPOSITIONS = _set(
    "about above across after against ahead along among amongst around apart aside as at away back before behind "
    "below beneath beside between beyond by down during except for forth forward from in inside into like near next "
    "of off on onto out outside over past per since than through throughout till to together toward towards under "
    "until unto up upon via with within without"
)
AFTER_VERB = JOINS | _set("throughout during without despite since after before until unless once")
"""What may follow a verb and does not depend on it."""
AFTER_ADJECTIVE = AFTER_VERB | _set("from in on")
"""What may follow an adjective and does not depend on it: "it is funny throughout"."""
NEGATIONS = _set("no not never none nothing nobody nowhere neither nor hardly scarcely barely rarely seldom without")
DEGREE = _set(
    "very so too quite rather pretty fairly really just even more most less least much all almost enough far somewhat "
    "only also still always often ever never not n't nevertheless nonetheless as how truly "
    "extremely absolutely completely utterly"
)
INTENSE = _set("very so too quite rather pretty fairly really more most less least as how truly extremely almost")
"""Adverbs of degree that stand before adjectives, not before verbs."""
APPROXIMATE = _set("almost nearly absolutely really truly")
"""Adverbs that stand before determiners and numbers: "nearly every corner"."""
COMPARISONS = {("as", "as"), ("more", "than"), ("less", "than"), ("so", "that")}
"""What stands around an adjective that is compared."""
VERBS = ("VB", "VBP", "VBZ", "VBD", "VBN", "VBG")
COORDINATES = ("and", "or", "but", "yet", "")
SORTS = _set("kind kinds sort sorts type types")
MEASURES = _set("deal many few lot lots bit while number numbers amount amounts")
"""Nouns before which an adjective tells an amount: "a good many"."""
PRONOUNS = _set(
    "i me my mine myself you your yours yourself he him his himself she her hers herself it its itself we us our ours "
    "ourselves they them their theirs themselves who whom whose which what that this these those one ones anyone "
    "anybody anything everyone everybody everything someone somebody something other others another each either both "
    "all any some few many several such same own whoever whatever whichever"
)
LIGHT = _set(
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
TIME = _set(
    "second seconds minute minutes hour hours day days week weeks month months year years decade decades century "
    "centuries time times today tomorrow yesterday tonight morning evening night nights moment moments while now then "
    "ago again once twice soon later early late already monday tuesday wednesday thursday friday saturday sunday "
    "january february march april may june july august september october november december spring summer autumn "
    "winter"
)
NUMBERS = _set(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands "
    "million millions billion billions dozen dozens half halves third thirds quarter first second fourth fifth sixth "
    "seventh eighth ninth tenth last next former latter previous following single double couple pair number numbers "
    "percent"
)
VAGUE = _set(
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
MOBILE = _set(
    "perhaps maybe probably presumably definitely certainly undoubtedly obviously clearly apparently seemingly "
    "especially particularly mostly mainly largely usually normally generally typically often frequently sometimes "
    "occasionally basically essentially exactly precisely unfortunately sadly fortunately luckily thankfully "
    "finally nevertheless nonetheless moreover furthermore ultimately eventually actually"
)
"""Adverbs that can stand anywhere."""
COLOURS_AND_SIDES = _set(
    "black white red green blue yellow purple pink brown orange grey gray golden silver north south east west northern "
    "southern eastern western central upper lower left right inner outer noon midnight"
)
GRAMMAR = BE | HAVE | MODALS | DETERMINERS | PREPOSITIONS | NEGATIONS | PRONOUNS | JOINS
"""Words that never count as a noun, a verb or an adjective, though "are" is a measure and "will" a document."""
RIGID = (
    GRAMMAR | LIGHT | TIME | NUMBERS | VAGUE | COLOURS_AND_SIDES
    | _set("nor than whether unless until that because cinema")
)  # fmt: skip
