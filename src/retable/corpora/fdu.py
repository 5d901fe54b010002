"""FDU-MTL: reviews in sixteen domains, positive or negative, each a corpus of its own.

A train file holds what the paper calls train and dev: its last 200 lines are dev, the usual reading (the paper does not
say which 200). The unlabelled texts of the fourteen Amazon domains are raw, while all labelled ones come tokenised and
lower-case.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from retable.corpora.readers import SENTIMENT, identity, read_labelled_lines, read_unlabelled_lines
from retable.declaration import Corpus, Defect, Example, RemoteFile, github, spread_of_two_runs

DEV = 200  # lines at the end of a train file
file = partial(github, "ccsasuke/man", "b57b4c14340db1ca7bffb5d9737b7c2601dc8df2")


@dataclass(frozen=True, kw_only=True)
class Domain:
    """Hold what differs from domain to domain: counts are of negative and positive texts, files of size and SHA-256."""

    stem: str
    of: str
    train: tuple[int, int]
    dev: tuple[int, int]
    test: tuple[int, int]
    unlabelled: int
    files: Mapping[str, tuple[int, str]]
    encoding: str = "utf-8"
    undecodable: str = "strict"
    raw_unlabelled: bool = True
    pooled: bool = True
    note: str = ""
    defects: Mapping[str, int] = field(default_factory=dict)


def read(corpus: Corpus, folder: Path, *, stem: str) -> Iterator[Example]:
    """Yield the train file (dev at its end), the test file, the unlabelled texts."""
    yield from read_labelled(corpus, folder, stem=stem)
    yield from read_unlabelled_lines(corpus, folder, file=f"{stem}.task.unlabel")


def read_labelled(corpus: Corpus, folder: Path, *, stem: str) -> Iterator[Example]:
    """Yield the train file (dev at its end) and the test file."""
    splits = {"train": f"{stem}.task.train", "test": f"{stem}.task.test"}
    examples = list(read_labelled_lines(corpus, folder, splits=splits, separator="\t", names=SENTIMENT))
    first_dev = sum(example.split == "train" for example in examples) - DEV
    for number, example in enumerate(examples):
        if example.split == "train" and number >= first_dev:
            example = example._replace(id=identity(corpus, "dev", number), split="dev")
        yield example


def remote_files(domain: Domain) -> dict[str, RemoteFile]:
    """Return the three files of a domain."""
    names = {kind: f"{domain.stem}.task.{kind}" for kind in domain.files}
    return {
        names[kind]: file(f"data/fdu-mtl/{names[kind]}", mirror=f"fdu_mtl/{names[kind]}", sha256=sha256, size=size)
        for kind, (size, sha256) in domain.files.items()
    }


DOMAINS = {
    "apparel": Domain(
        stem="apparel",
        of="clothes",
        train=(710, 690),
        dev=(105, 95),
        test=(185, 215),
        unlabelled=2000,
        files={
            "train": (519_173, "589702d71eded8ca23907acf6e434f203c8c6feb09737106f77f03707641ffc3"),
            "test": (127_187, "8e591ec14fa0e3d26837b9a40c99d3a93b49f47e7a3fbe4d0afe1b4e1dd45439"),
            "unlabel": (572_626, "7dc0cf126e07552b41d2574627a3a6d0d9c3f958a368fe5e41d8cd353b0f4a3f"),
        },
        defects={
            "texts with markup": 1,
            "copies in train": 25,
            "copies in dev": 1,
            "copies in test": 3,
            "copies in unlabelled": 97,
            "texts in train and dev": 4,
            "texts in train and test": 4,
            "texts in dev and test": 2,
        },
    ),
    "baby": Domain(
        stem="baby",
        of="things for babies",
        train=(598, 702),
        dev=(102, 98),
        test=(200, 200),
        unlabelled=2000,
        files={
            "train": (849_433, "0d884186f3aef0e12dafac0a875887fe631de0df992b15158ab177763882bf57"),
            "test": (220_031, "8763bb4b8bbf83b93b6aab03706719fc742fb7d89830a6bd95ea1c2490ea58f7"),
            "unlabel": (1_054_703, "f4f2be61dddc8165ba40d9fc90d51a21c0c9d1f4b6eaa20c93fd3f9d9a8c95e2"),
        },
        defects={
            "texts with markup": 7,
            "copies in train": 20,
            "copies in test": 1,
            "copies in unlabelled": 70,
            "texts in train and dev": 7,
            "texts in train and test": 10,
            "texts in dev and test": 5,
        },
    ),
    "books": Domain(
        stem="books",
        of="books",
        train=(696, 704),
        dev=(106, 94),
        test=(198, 202),
        unlabelled=2000,
        files={
            "train": (1_517_583, "40c4c5971165b9e0a509a60472c3bf06c8e1430d4944833141eb3c34d986b65e"),
            "test": (351_857, "b451ac03e48b599bf35dd1a450158389e1ac9018950e95c631053ac14a5b10ad"),
            "unlabel": (1_816_355, "5121a335a736523b5bd0dc47e05da2b085bf6f42aec2ca20ba7142d620241563"),
        },
        defects={
            "texts with U+FFFD": 1,
            "texts with markup": 8,
            "copies in train": 8,
            "copies in unlabelled": 85,
            "texts in train and dev": 3,
            "texts in train and test": 7,
        },
    ),
    "camera": Domain(
        stem="camera_photo",
        of="cameras",
        train=(692, 705),
        dev=(100, 100),
        test=(206, 194),
        unlabelled=2000,
        files={
            "train": (1_077_961, "425bf93c303b2f38d2f53649508ea9e55d0114679ecb00fda5c2c15ebbe9e708"),
            "test": (258_814, "3fdea0837d6c41f04720dce8d2e690bbdeb5019ecac749f8f38472ac1dcfa439"),
            "unlabel": (1_481_764, "d94c682441e8b8a57ff992e244ef0137e07528cd9f3631874f89e2d40aefca04"),
        },
        defects={
            "texts with markup": 2,
            "copies in train": 146,
            "copies in dev": 2,
            "copies in test": 17,
            "copies in unlabelled": 871,
            "texts in train and dev": 26,
            "texts in train and test": 56,
            "texts in dev and test": 12,
        },
    ),
    "dvd": Domain(
        stem="dvd",
        of="films on DVD",
        train=(704, 696),
        dev=(94, 106),
        test=(202, 198),
        unlabelled=2000,
        files={
            "train": (1_581_172, "47334240d9cef76ac5f15a10f9082c3d2c6e7f9a9bb0478a3800ede2a0300771"),
            "test": (402_497, "762e6e030892375eda4f211be58624a3bb6a07c966901c79b803837d21fca4b5"),
            "unlabel": (1_957_469, "5673c05efcefbf5d38a1ca7e1110cbf58a95e1b02a7a0c729c46f2ba21f223bf"),
        },
        undecodable="replace",
        defects={
            "lines that are not UTF-8": 1,
            "texts with U+FFFD": 2,
            "texts with markup": 2,
            "copies in train": 14,
            "copies in unlabelled": 47,
            "texts in train and dev": 5,
            "texts in train and test": 11,
            "texts in dev and test": 3,
        },
    ),
    "electronic": Domain(
        stem="electronics",
        of="electronics",
        train=(693, 705),
        dev=(103, 97),
        test=(202, 198),
        unlabelled=2000,
        files={
            "train": (918_340, "bb2f28c4a20e3d075dd71ff049970bd445f4d47bcc8404a68eb03850413a8da7"),
            "test": (222_978, "a4d2e7d2a5b8b501a6611e45e1b241aa0d601388b79265cfc94c203cb52f8b8c"),
            "unlabel": (1_063_574, "da24efbec0053b8b8383e530dab3e4a358e75ae2e65d09624c6843bad30f69a8"),
        },
        defects={
            "texts with U+FFFD": 1,
            "texts with markup": 6,
            "copies in train": 21,
            "copies in test": 3,
            "copies in unlabelled": 469,
            "texts in train and dev": 4,
            "texts in train and test": 11,
        },
    ),
    "health": Domain(
        stem="health_personal_care",
        of="things for health",
        train=(696, 704),
        dev=(92, 108),
        test=(212, 188),
        unlabelled=2000,
        files={
            "train": (736_321, "384f1ec3d76a2f755844cac4bd7725b86bc79910dae60fc33f133e380f827b4a"),
            "test": (173_498, "07f289177da7ebe71f1ac2ee3d5a25f190913e2a11116f0fb55862e01b60a331"),
            "unlabel": (834_792, "70bd1a5b004f2d0edc6bcf0ec6ff5c464f232a351bdcf4b88d4a655d97110355"),
        },
        defects={
            "copies in train": 44,
            "copies in dev": 1,
            "copies in test": 2,
            "copies in unlabelled": 271,
            "texts in train and dev": 10,
            "texts in train and test": 29,
            "texts in dev and test": 1,
        },
    ),
    "imdb": Domain(
        stem="imdb",
        of="films (IMDB)",
        train=(704, 696),
        dev=(101, 99),
        test=(201, 199),
        unlabelled=2000,
        files={
            "train": (2_254_776, "16dd91ee7aebde130cfeb4d1c58bfe221ad87f1862fdb8ae694693eec3432caa"),
            "test": (486_414, "dc708b7338157a6be56a1ded26abd97f82284d0e736876a6b833ad59e8a2cd53"),
            "unlabel": (2_860_588, "ea4e02252cf95661af402ef7b7b6b9addc0a0666a03d8d7b81eefb08af0b413d"),
        },
        raw_unlabelled=False,
        defects={
            "texts with C1 controls": 121,
            "texts with markup": 1,
            "copies in unlabelled": 1,
        },
    ),
    "kitchen": Domain(
        stem="kitchen_housewares",
        of="kitchenware",
        train=(694, 706),
        dev=(98, 102),
        test=(208, 192),
        unlabelled=2000,
        files={
            "train": (762_961, "df5c9e8473b084a6b252dfbb5e074adcaacb9638a882fee3f20d62d747f45d6f"),
            "test": (193_578, "86bcc015f7cfa773880951830ac6161dc2b8717e8a69773ca11a5bd6529b2020"),
            "unlabel": (961_543, "6255b3597385952d45920ce4451291a246ecd997ef75d964ff56fff9e31ad9e7"),
        },
        defects={
            "texts with markup": 2,
            "copies in train": 9,
            "copies in unlabelled": 252,
            "texts in train and dev": 5,
            "texts in train and test": 9,
        },
    ),
    "magazine": Domain(
        stem="magazines",
        of="magazines",
        train=(688, 682),
        dev=(99, 101),
        test=(183, 217),
        unlabelled=2000,
        files={
            "train": (1_027_102, "d4805a9f094c1c7befa64bc42ea846261b1290a2fd120c46f45c9e89faf782ae"),
            "test": (263_233, "620ecd0ccd7b7f73483b8cdcef5ca07dff92e2d57c9cf4b6e9f7d669a681f6c3"),
            "unlabel": (1_394_818, "87de41f73d65b525d2918833a944427196cd4a0346d9d083086b4814333fd9bd"),
        },
        defects={
            "texts with markup": 10,
            "copies in train": 289,
            "copies in dev": 7,
            "copies in test": 26,
            "copies in unlabelled": 654,
            "texts in train and dev": 92,
            "texts in train and test": 144,
            "texts in dev and test": 20,
        },
    ),
    "mr": Domain(
        stem="MR",
        of="films (sentences of MR)",
        train=(713, 687),
        dev=(109, 91),
        test=(192, 208),
        unlabelled=2000,
        files={
            "train": (191_447, "a6f222085a50061dd560c3beafc968679abae74683e3d18a66b619c5e2d178dc"),
            "test": (47_573, "82ec2a6d570978d173240dfd655c25e151761d7d0ace365725745a361e6fabea"),
            "unlabel": (229_919, "fa9dee0e94afe5a6d58f1670ac7db53c450e0f806f158dea78fb766f1ee053bb"),
        },
        encoding="latin-1",
        raw_unlabelled=False,
        pooled=False,
        note="; all its texts stand in mr, so that no pool may hold it",
        defects={
            "lines that are not UTF-8": 69,
            "texts with C1 controls": 23,
            "texts with markup": 1,
        },
    ),
    "music": Domain(
        stem="music",
        of="music",
        train=(702, 698),
        dev=(97, 103),
        test=(201, 199),
        unlabelled=2000,
        files={
            "train": (1_170_332, "f0b41243475c16391a02e91d87710ed87d68927d4d77f526a3d2369a98ac572e"),
            "test": (275_218, "54a157c56930b9e587b6b955fe4b2e3258d2f70d0d58ccbbf40a4bfd846ee204"),
            "unlabel": (1_603_351, "3f2ee8a5becb232368d2bc599ab131778558e05009f8f6957ce2a10106a6ea9a"),
        },
        defects={
            "texts with markup": 14,
            "copies in train": 13,
            "copies in test": 1,
            "copies in unlabelled": 16,
            "texts in train and dev": 1,
            "texts in train and test": 7,
            "texts in dev and test": 2,
        },
    ),
    "software": Domain(
        stem="software",
        of="software",
        train=(625, 690),
        dev=(102, 98),
        test=(188, 212),
        unlabelled=475,
        files={
            "train": (1_137_236, "a050cb3ea22b94b21ce70acff3a23eabd1f39307bd862d6c0cc23170eb4830f4"),
            "test": (270_384, "3b92617a5b3ad618b7aaab98546d49c2a69f46dedbceb4ec14dee1cbb4ff02d3"),
            "unlabel": (330_988, "a34c6f844ba0ac1a8d3325b396451c6b6f8928f219f22408192c417357497b80"),
        },
        defects={
            "texts with markup": 1,
            "copies in train": 112,
            "copies in dev": 3,
            "copies in test": 7,
            "copies in unlabelled": 28,
            "texts in train and dev": 37,
            "texts in train and test": 55,
            "texts in dev and test": 6,
        },
    ),
    "sports": Domain(
        stem="sports_outdoors",
        of="sports goods",
        train=(688, 712),
        dev=(102, 98),
        test=(210, 190),
        unlabelled=2000,
        files={
            "train": (827_286, "062ac0e2fb04a81c1f06f15b219634810a323a2ee187750e2f479030ebad0326"),
            "test": (216_957, "77394d7c91fbc69cc16bfaf79f1f945999fe2d8e0fc536f1f79d17089e611f49"),
            "unlabel": (981_970, "7742f40a8b02cd5701a647d6ccaf3746bb863af28cdd6fa0404b507b131b9ca4"),
        },
        defects={
            "texts that are empty": 1,
            "texts with markup": 1,
            "copies in train": 41,
            "copies in test": 5,
            "copies in unlabelled": 90,
            "texts in train and dev": 8,
            "texts in train and test": 24,
            "texts in dev and test": 2,
        },
    ),
    "toys": Domain(
        stem="toys_games",
        of="toys",
        train=(704, 696),
        dev=(102, 98),
        test=(194, 206),
        unlabelled=2000,
        files={
            "train": (785_692, "bb8404d3b48ab02bca2a75bb1e245297aac36b8143a81549f6485b4c2d24dd10"),
            "test": (194_694, "6ee304a53f25697ee96bcb60fe07cc36d282ef343c3e0f8ae09df669ec39b116"),
            "unlabel": (922_984, "8808944481c5478a94f231f2fb9541036c5f882de225e2cb8357ab42fd59696d"),
        },
        defects={
            "texts with markup": 7,
            "copies in train": 5,
            "copies in dev": 1,
            "copies in test": 2,
            "copies in unlabelled": 341,
            "texts in train and dev": 2,
            "texts in train and test": 7,
        },
    ),
    "video": Domain(
        stem="video",
        of="films on video",
        train=(706, 694),
        dev=(107, 93),
        test=(187, 213),
        unlabelled=2000,
        files={
            "train": (1_304_633, "2867b3e5fffc44132aa61ff49dd608eeacc503b2c9c2133680f0cb4a7a258f3e"),
            "test": (341_154, "8de7a49ee3001409c9049b1f52949d78c7875cb92e031b43f5cef681dfd341e4"),
            "unlabel": (1_915_737, "0178424fe97c0203c0f3cabcb31e1370bf656895b76a189ecf1ecfd151abe3f2"),
        },
        defects={
            "texts with U+FFFD": 5,
            "texts with markup": 10,
            "copies in train": 227,
            "copies in dev": 15,
            "copies in test": 36,
            "copies in unlabelled": 398,
            "texts in train and dev": 37,
            "texts in train and test": 64,
            "texts in dev and test": 15,
        },
    ),
}

REASONS = {
    "texts that are empty": "a training text of sports without a word; it is dropped",
    "lines that are not UTF-8": "the files of this domain are latin-1 (in truth Windows-1252)",
    "texts with C1 controls": "punctuation of Windows-1252; cleaning puts it right",
    "texts with U+FFFD": "characters that were lost before publication",
    "texts with markup": "entities and a few tags that the collector left in, nearly all in unlabelled texts",
    "texts with two labels": "copies that contradict each other; a published split stays as published",
    "copies in train": "reviews that the shop showed under several products; a published split stays as published",
    "copies in dev": "the same",
    "copies in test": "the same",
    "copies in unlabelled": "the same",
    "texts in train and dev": "the same; they are not clean",
    "texts in train and test": "the same; they are not clean",
    "texts in dev and test": "the same; no text of dev is trained on",
    "texts in train and unlabelled": "the same",
    "texts in dev and unlabelled": "the same; pools leave them out",
    "texts in test and unlabelled": "the same; pools leave them out",
}

CORPORA = {
    f"fdu-{name}": Corpus(
        name=f"fdu-{name}",
        language="en",
        title=f"reviews of {domain.of}, positive or negative",
        labels=("negative", "positive"),
        texts={"train": domain.train, "dev": domain.dev, "test": domain.test},
        unlabelled=domain.unlabelled,
        files=remote_files(domain),
        read=partial(read, stem=domain.stem),
        encoding=domain.encoding,
        undecodable=domain.undecodable,
        tokenised=True,
        raw_unlabelled=domain.raw_unlabelled,
        pooled=domain.pooled,
        seed_deviation=spread_of_two_runs(3.5),
        source="https://nlp.fudan.edu.cn/data/",
        paper="Liu, Qiu and Huang, Adversarial Multi-task Learning for Text Classification, ACL 2017",
        licence="none stated; the reviews of Amazon are for research use (Blitzer et al., ACL 2007)",
        note=f"the last {DEV} lines of the train file are dev, the paper does not say which are{domain.note}",
        defects=tuple(Defect(what, count, REASONS[what]) for what, count in domain.defects.items()),
    )
    for name, domain in DOMAINS.items()
}
