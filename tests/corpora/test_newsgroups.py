"""Find the end of a message's header when its line breaks have become spaces."""

import re

import pytest

from retable.corpora.twenty_newsgroups import without_header

HEADER = "From: ann@example.org (Ann B) Subject: Re: pumps Organization: Example Lines: 2"


@pytest.mark.parametrize(
    ("message", "body"),
    [
        (f"{HEADER}  First line second line", "First line second line"),
        (f"{HEADER}    Indented first line", "Indented first line"),
        (f"{HEADER} Distribution: world NNTP-Posting-Host: a.example  Body", "Body"),
        ("Lines: 3 From: ann@example.org Subject: pumps  Body  more", "Body  more"),
        # two spaces inside the header: in a subject, a name, a folded line
        ("From: a@b.c (Ann  B) Subject: pumps?  (How) Organization: x  y Lines: 2  Body", "Body"),
        ("From: a@b.c Subject: x  <1@c> <2@d>   <3@e> Organization: y Lines: 20  In article", "In article"),
        (f"{HEADER}  X-Disclaimer:  not ours  Body", "Body"),
        (f"{HEADER}  Organization: Example Inc.  Body", "Body"),
        # looks like a header but is not
        (f"{HEADER}  From: bob@example.org >quoted  text", "From: bob@example.org >quoted  text"),
        (f"{HEADER}  Subject: pumps again  Lines: 7  text", "Subject: pumps again  Lines: 7  text"),
        (f"{HEADER}  Body with Distribution: no field  end", "Body with Distribution: no field  end"),
        # no number of lines
        ("From: a@b.c Subject: x Organization: y  Body  more", "Body  more"),
        ("From: a@b.c Subject: x Lines: dog  Body", "Body"),
        ("From: a@b.c Subject: x  Distribution: na  Body", "Body"),
        ("From: a@b.c Subject: x  " + "word " * 300 + " Lines: 5  end", "word " * 300 + " Lines: 5  end"),
        # only a header
        (f"{HEADER}  ", ""),
        (HEADER, ""),
    ],
)
def test_the_header_goes_and_the_body_stays(message, body):
    assert without_header(message).strip() == body.strip()


def test_real_messages_lose_their_headers_and_keep_their_texts(read_corpus):
    whole, bodies = read_corpus("20-newsgroups"), read_corpus("20-newsgroups-no-headers")
    assert all(first.text.endswith(second.text) for first, second in zip(whole, bodies, strict=True))
    cut = [
        len(first.text) - len(second.text) for first, second in zip(whole, bodies, strict=True) if second.text.strip()
    ]
    assert min(cut) > 40, "no message keeps its header"
    assert max(cut) < 1000, "no message loses much more than a header"
    assert sum(not example.text.strip() for example in bodies) == 34
    # such words left in the first 200 characters are in quotations and forwarded messages
    left = {
        word: sum(word in example.text[:200] for example in bodies) for word in ("Subject:", "Organization:", "Lines:")
    }
    assert left["Subject:"] < 200
    assert left["Organization:"] < 40
    assert left["Lines:"] < 10


def test_no_body_begins_with_the_address_of_its_author(read_corpus):
    whole, bodies = read_corpus("20-newsgroups"), read_corpus("20-newsgroups-no-headers")
    own = 0
    for first, second in zip(whole, bodies, strict=True):
        author = re.search(r"From: \S+@\S+", first.text)
        own += bool(author) and second.text[:300].count(author[0])
    assert own < 20
