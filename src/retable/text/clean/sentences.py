"""Split a text into sentences by rule: for the papers' sentence counts, not for linguistics.

A sentence ends at . ! ? or an ellipsis (with closing quotes and brackets) before white space, if what follows can begin
a sentence: it does not start in lower case, unless the text has no capitals at all. A point after an abbreviation (Mr.,
U.S., J.) does not end one. A sentence also ends at any full-width mark of Chinese, at an empty line and at a tab
(dbpedia). The rest of a text after its last end mark is its last sentence.
"""

import re

TITLES = "mr mrs ms dr prof st sr jr gen gov sen rep col capt lt sgt rev hon messrs"
COMPANIES = "inc corp co ltd bros dept"
LATIN = "vs etc e.g i.e a.m p.m u.s u.k u.n"
MONTHS = "jan feb mar apr jun jul aug sep sept oct nov dec"
STATES = "ala ariz ark calif colo conn fla kan ky md mich minn neb nev okla tenn tex vt wis wyo"
ABBREVIATIONS = frozenset(" ".join((TITLES, COMPANIES, LATIN, MONTHS, STATES)).split())
MARK = r"[.!?\u2026]"
CLOSING = r"[\"'\u2019\u201d\u300d\u300f\u300b\uff09)\]]*+"
# A run of marks is matched once, from its start: otherwise one without white space after it takes quadratic time.
END = re.compile(rf"(?<!{MARK}){MARK}++{CLOSING}(?=\s)|[\u3002\uff01\uff1f]+{CLOSING}|\t|\n\s*\n")
NO_SPACE = re.compile(r"\S")
LAST_WORD = re.compile(r"[^\W_](?:[\w.]*[^\W_])?(?=\.$)")


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, without surrounding white space; none for an empty text."""
    lowercase = text == text.lower()
    found, start = [], 0
    for end in END.finditer(text):
        if _ends(text, start, end, lowercase):
            found.append(text[start : end.end()].strip())
            start = end.end()
    return [sentence for sentence in (*found, text[start:].strip()) if sentence]


def _ends(text: str, start: int, end: re.Match[str], lowercase: bool) -> bool:
    if end[0][0] not in ".!?\u2026":
        return True
    following = NO_SPACE.search(text, end.end())
    if not lowercase and following and following[0].islower():
        return False
    if end[0] != ".":
        return True
    word = LAST_WORD.search(text, max(start, end.start() - 20), end.end())
    return word is None or not (word[0].lower() in ABBREVIATIONS or (len(word[0]) == 1 and word[0].isupper()))
