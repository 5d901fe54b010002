"""Write the two corpora that the project made itself: short reviews with a label, and sentences with parts of speech.

`python data/sample/make.py` writes the same bytes every time; they are in git, with their digests in the registry. One
small grammar serves both, so a tagger trained on the sentences knows the reviews. Word order matters a little: "not
bad", "never dull", and of two clauses around "but" the later one decides. A twenty-fifth of the labels is wrong, as in
real corpora, one test text repeats a training text and one training text another.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

HERE = Path(__file__).resolve().parent
TEXTS = {"train": 400, "dev": 60, "test": 80}
SENTENCES = {"train": 400, "dev": 80, "test": 80}
WRONG_LABELS = 0.04
LARGEST_OVERLAP = 0.35  # of character 5-grams, between texts of different splits

Word = tuple[str, str, str]  # word, universal part of speech, Penn tag
Clause = list[Word]


def words(line: str) -> list[str]:
    """The words of a line."""
    return line.split()


GOOD_ADJECTIVES = words(
    "brilliant charming clever delightful elegant fresh funny gripping honest lovely memorable moving splendid "
    "superb touching warm witty wonderful"
)
BAD_ADJECTIVES = words(
    "awful boring careless clumsy confused dreadful dull feeble flat forgettable lazy messy pointless shallow silly "
    "stale terrible weak"
)
PLAIN_ADJECTIVES = words(
    "blue early foreign french local long modern narrow northern old quiet second short strange tall young"
)
THINGS = words(
    "acting album book camera cast chapter comedy concert cover dialogue drama editing ending exhibition film "
    "humour lecture menu museum music novel opening performance photography picture play plot poem recipe rhythm "
    "sequel series service show song sound staging story style theatre translation voice walk writing"
)
PEOPLE = words(
    "actor author baker brother composer cook director editor farmer friend guide hero neighbour nurse painter poet "
    "producer singer sister student teacher writer"
)
PLACES = words(
    "airport bakery bridge cinema festival garden harbour hotel kitchen library market office park school station "
    "village"
)
TIMES = words("afternoon evening holiday monday month morning summer sunday weekend winter")
GOOD_VERBS = words("admired adored enjoyed loved praised recommended treasured")
BAD_VERBS = words("despised disliked hated mocked regretted resented suffered")
GOOD_STEMS = words("admire adore enjoy like praise recommend")
BAD_STEMS = words("dislike hate mock regret resent")
PLAIN_VERBS = words("borrowed bought finished found heard mentioned ordered read saw started visited watched")
ADVERBS = words("almost deeply fairly mostly often quite rather really sometimes truly utterly very")
NUMBERS = words("two three four five six seven nine ten twelve twenty")
DETERMINERS = words("the this that")


def tagged(upos: str, xpos: str) -> Callable[[str], Word]:
    """A function that gives a word its tags."""
    return lambda word: (word, upos, xpos)


adjective, noun, adverb = tagged("ADJ", "JJ"), tagged("NOUN", "NN"), tagged("ADV", "RB")
past, stem, determiner = tagged("VERB", "VBD"), tagged("VERB", "VB"), tagged("DET", "DT")
pronoun, preposition, number = tagged("PRON", "PRP"), tagged("ADP", "IN"), tagged("NUM", "CD")
owner, plural, conjunction = tagged("PRON", "PRP$"), tagged("NOUN", "NNS"), tagged("CCONJ", "CC")
IS, WAS, DID = ("is", "AUX", "VBZ"), ("was", "AUX", "VBD"), ("did", "AUX", "VBD")
NOT, NEVER, COMMA, STOP = ("not", "PART", "RB"), adverb("never"), (",", "PUNCT", ","), (".", "PUNCT", ".")


class Grammar:
    """Clauses drawn at random. Only `Random.random` is used: its numbers are the same in every version of Python."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed).random

    def chance(self, share: float) -> bool:
        return self.random() < share

    def one(self, words: list[str]) -> str:
        return words[int(self.random() * len(words))]

    def thing(self) -> Clause:
        modifier = [adjective(self.one(PLAIN_ADJECTIVES))] if self.chance(0.25) else []
        return [determiner(self.one(DETERMINERS)), *modifier, noun(self.one(THINGS))]

    def judgement(self, good: bool) -> Clause:
        """ "the plot is quite witty", "that film is not dull", "i loved the music"."""
        kind = self.random()
        right, wrong = (GOOD_ADJECTIVES, BAD_ADJECTIVES) if good else (BAD_ADJECTIVES, GOOD_ADJECTIVES)
        is_or_was = IS if self.chance(0.6) else WAS
        if kind < 0.7:
            strength = [adverb(self.one(ADVERBS))] if self.chance(0.5) else []
            second = [conjunction("and"), adjective(self.one(right))] if self.chance(0.4) else []
            return [*self.thing(), is_or_was, *strength, adjective(self.one(right)), *second]
        if kind < 0.8:
            return [*self.thing(), is_or_was, NOT if self.chance(0.6) else NEVER, adjective(self.one(wrong))]
        if kind < 0.95:
            return [pronoun("i"), past(self.one(GOOD_VERBS if good else BAD_VERBS)), *self.thing()]
        return [pronoun("i"), DID, NOT, stem(self.one(BAD_STEMS if good else GOOD_STEMS)), *self.thing()]

    def opinion(self, good: bool) -> Clause:
        """One judgement, or two of which the later one (after "but") or the main one (after "although") decides."""
        kind = self.random()
        if kind < 0.86:
            return [*self.judgement(good), STOP]
        if kind < 0.93:
            return [*self.judgement(not good), COMMA, conjunction("but"), *self.judgement(good), STOP]
        although = ("although", "SCONJ", "IN")
        return [although, *self.judgement(not good), COMMA, *self.judgement(good), STOP]

    def remark(self) -> Clause:
        """A sentence without an opinion; some words have another part of speech here ("play", "like", "show")."""
        someone = [owner("my"), noun(self.one(PEOPLE))]
        where = [preposition(self.one(["at", "near", "behind"])), determiner("the"), noun(self.one(PLACES))]
        when = [preposition("on"), determiner("a"), adjective(self.one(PLAIN_ADJECTIVES)), noun(self.one(TIMES))]
        kind = int(self.random() * 6)
        if kind == 0:
            return [pronoun("we"), past(self.one(PLAIN_VERBS)), pronoun("it"), *where, *when, STOP]
        if kind == 1:
            return [*someone, past(self.one(PLAIN_VERBS)), *self.thing(), *when, STOP]
        if kind == 2:
            count = number(self.one(NUMBERS))
            return [pronoun("it"), past("took"), count, plural(self.one(["days", "hours", "weeks"])), *where, STOP]
        if kind == 3:
            base = self.one(["play", "show", "cover", "like", "cook", "guide", "sound"])
            what = noun(self.one(THINGS))
            return [*someone, ("will", "AUX", "MD"), stem(base), determiner("the"), what, *where, STOP]
        if kind == 4:
            person, home = noun(self.one(PEOPLE)), noun(self.one(PLACES))
            someone = [determiner("a"), person, preposition("from"), determiner("the"), home]
            return [*someone, past("called"), pronoun("us"), STOP]
        person = noun(self.one(PEOPLE))
        return [pronoun("they"), past("talked"), preposition("like"), determiner("the"), person, *where, STOP]

    def review(self, good: bool) -> Clause:
        """One opinion or two of one mind, and a remark before or after them."""
        opinions = [self.opinion(good) for _ in range(1 + self.chance(0.6))]
        parts = [self.remark(), *opinions] if self.chance(0.5) else [*opinions, self.remark()]
        return [word for part in parts for word in part]


def grams(text: str) -> set[str]:
    """The character 5-grams of a text."""
    return {text[start : start + 5] for start in range(len(text) - 4)}


def reviews(grammar: Grammar) -> dict[str, list[str]]:
    """Lines of label, tab, text; texts of different splits are far apart."""
    lines: dict[str, list[str]] = {}
    known: list[set[str]] = []
    for split, count in TEXTS.items():
        lines[split], fresh = [], []
        while len(lines[split]) < count:
            good = len(lines[split]) % 2 == 0
            text = " ".join(word for word, _, _ in grammar.review(good))
            own = grams(text)
            if own not in fresh and all(len(own & other) < LARGEST_OVERLAP * len(own | other) for other in known):
                fresh.append(own)
                label = good != grammar.chance(WRONG_LABELS)
                lines[split].append(f"{'positive' if label else 'negative'}\t{text}")
        known += fresh
    lines["train"][-1] = lines["train"][1]
    lines["test"][-1] = lines["train"][3]
    return lines


def sentences(grammar: Grammar, count: int) -> Iterator[str]:
    """CoNLL-U blocks without lemmas and trees."""
    for index in range(count):
        words = grammar.remark() if index % 2 else grammar.opinion(good=index % 4 == 0)
        columns = ((str(place), word, "_", upos, xpos, *"_____") for place, (word, upos, xpos) in enumerate(words, 1))
        yield "".join("\t".join(row) + "\n" for row in columns) + "\n"


def make(folder: Path) -> None:
    """Write both corpora below `folder`."""
    for name in ("sample-en", "sample-treebank-en"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for split, lines in reviews(Grammar(seed=1)).items():
        (folder / f"sample-en/{split}.txt").write_bytes("".join(f"{line}\n" for line in lines).encode())
    grammar = Grammar(seed=2)
    for split, count in SENTENCES.items():
        (folder / f"sample-treebank-en/{split}.conllu").write_bytes("".join(sentences(grammar, count)).encode())


if __name__ == "__main__":
    make(HERE)
