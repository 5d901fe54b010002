"""20 Newsgroups: Usenet messages labelled by newsgroup, with headers and without.

The files hold one message per line, with each newline turned into one space. So a message is a header of `Name: value`
fields, then two or more spaces (the empty line), then the body; but two spaces occur inside headers too.

The rule of `without_header`: the header ends at the first two spaces after its field `Lines: <number>`, which all but
59 of 18,846 messages have; if there are none in the first 1,000 characters, at the first two spaces. The rest still
counts as header as long as it begins with the name of a known field.
"""

import re
from dataclasses import replace
from functools import partial

from retable.corpora.readers import read_parallel_lines
from retable.declaration import Corpus, Defect, github

LONGEST_HEADER = 1000  # characters up to the number of lines; the longest has 838
LINES = re.compile(r"(?:^| )Lines: +\d+(?= |$)", re.IGNORECASE)
FIELD = re.compile(
    r" +(?:distribution|expires|followup-to|in-reply-to|keywords|nntp-posting-\w+|organi[sz]ation|originator|reply-to|"
    r"summary|x-[\w-]+): ",
    re.IGNORECASE,
)


def without_header(message: str) -> str:
    """Return the body of a message; "" if it has none."""
    lines = LINES.search(message, 0, LONGEST_HEADER)
    end = message.find("  ", lines.end() if lines else 0)
    while end >= 0 and (field := FIELD.match(message, end)):
        end = message.find("  ", field.end())
    return message[end:] if end >= 0 else ""


GROUPS = {  # name: texts in train, in test
    "alt.atheism": (480, 319),
    "comp.graphics": (584, 389),
    "comp.os.ms-windows.misc": (591, 394),
    "comp.sys.ibm.pc.hardware": (590, 392),
    "comp.sys.mac.hardware": (578, 385),
    "comp.windows.x": (593, 395),
    "misc.forsale": (585, 390),
    "rec.autos": (594, 396),
    "rec.motorcycles": (598, 398),
    "rec.sport.baseball": (597, 397),
    "rec.sport.hockey": (600, 399),
    "sci.crypt": (595, 396),
    "sci.electronics": (591, 393),
    "sci.med": (594, 396),
    "sci.space": (593, 394),
    "soc.religion.christian": (599, 398),
    "talk.politics.guns": (546, 364),
    "talk.politics.mideast": (564, 376),
    "talk.politics.misc": (465, 310),
    "talk.religion.misc": (377, 251),
}
read = partial(
    read_parallel_lines,
    texts="20ng.texts.txt",
    labels="20ng.labels.txt",
    splits={"20news-bydate-train": "train", "20news-bydate-test": "test"},
)

WHOLE = Corpus(
    name="20-newsgroups",
    language="en",
    title="Usenet messages in twenty groups, with headers",
    labels=tuple(GROUPS),
    texts={
        "train": tuple(train for train, _ in GROUPS.values()),
        "test": tuple(test for _, test in GROUPS.values()),
    },
    files=github(
        "yao8839836/text_gcn/962223652e9bb164ac2d83cd09fc7b8845ce860b/data",
        {
            "20ng.labels.txt": (1_669_061, "5ec2cc32d698f77f64abe8f9d6e2578b623d85a837d9f04b8387dfee7da83839"),
            "20ng.texts.txt": (35_873_848, "e56bbbaadc1283e4020d38dff5160381d93da04e68571b8bd0b70c47da9544b2"),
        },
        mirror="20ng",
        there={"20ng.labels.txt": "20ng.txt", "20ng.texts.txt": "corpus/20ng.txt"},
    ),
    read=read,
    encoding="latin-1",
    source="http://qwone.com/~jason/20Newsgroups/",
    paper="Lang, NewsWeeder: Learning to Filter Netnews, ICML 1995 (the edition split by date)",
    licence="none stated; research use, cite",
    note="the headers name the group and its regulars, so scores on whole messages are too high; no dev split is "
    "published: ours is 10 % of the training texts",
    defects=(
        Defect("lines that are not UTF-8", 73, "the file is latin-1, with lines in other 8-bit sets"),
        Defect("texts with C1 controls", 7, "letters of other 8-bit sets; cleaning reads them as Windows-1252"),
        Defect("texts with markup", 9337, "addresses and message ids in angle brackets; kept as published"),
    ),
)

CORPORA = {
    "20-newsgroups": WHOLE,
    "20-newsgroups-no-headers": replace(
        WHOLE,
        name="20-newsgroups-no-headers",
        title="the messages of 20 Newsgroups without their headers",
        same_texts_as="20-newsgroups",
        read=partial(read, change=without_header),
        note="headers are removed as the module says, quotations and signatures stay; messages that become empty are "
        "dropped; no dev split is published: ours is 10 % of the training texts",
        defects=(
            Defect("lines that are not UTF-8", 73, "the same file"),
            Defect("texts that are empty", 34, "messages that are only headers; they are dropped"),
            Defect("texts with C1 controls", 3, "letters of other 8-bit sets; cleaning reads them as Windows-1252"),
            Defect("texts with markup", 8717, "addresses and message ids in angle brackets; kept as published"),
            Defect(
                "texts with two labels",
                8,
                "messages posted to two groups separately; published splits are kept unchanged",
            ),
            Defect(
                "copies in train",
                35,
                "messages posted twice, including the empty ones; published splits are kept unchanged",
            ),
            Defect("copies in test", 25, "the same"),
            Defect("texts in train and test", 8, "the same; they are not clean"),
        ),
    ),
}
