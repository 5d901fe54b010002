"""Write the project's own test sets of word vectors: a few analogies and pairs on words of sample-en and sample-zh.

`python data/sample/make_embedding_eval.py` writes the same bytes every time; they are in git, with their digests in the
registry. The scores are made up (0 to 10): the sets show that the chain works, and say nothing about any vectors. Some
words have no vector on purpose: real sets have such words too. The Chinese sets hold characters and words.
"""

from itertools import permutations
from pathlib import Path

HERE = Path(__file__).resolve().parent

ANALOGIES = {
    "en": {
        "past-tense": "admire admired, adore adored, enjoy enjoyed, praise praised, recommend recommended, hate hated, "
        "dislike disliked, mock mocked, regret regretted, resent resented",
        "opposites": "funny boring, brilliant awful, lovely terrible, clever silly, fresh stale, early late",
    },
    "zh": {
        "opposites": "大 小, 上 下, 来 去, 早 晚, 新 旧",
        "words": "喜欢 讨厌, 漂亮 难看, 精彩 无聊",
    },
}
SIMILARITIES = {
    "en": "awful terrible 9.1, charming delightful 8.8, boring dull 9.0, novel story 7.6, music song 8.2, "
    "painter picture 6.1, monday sunday 7.0, kitchen recipe 5.4, actor director 6.3, gripping boring 1.2, "
    "harbour comedy 0.4, teacher student 6.6, village station 2.9, Winter Summer 6.0, film spaceship 2.0",
    "zh": "电 影 6.5, 书 诗 7.0, 看 听 6.0, 衣 鞋 6.8, 哥 妹 7.5, 年 月 7.2, 大 小 3.0, 人 山 1.0, 电影 动画 7.0, "
    "喜欢 喜爱 9.0, 喜欢 讨厌 2.0, 医生 医院 6.5, 电影 山 0.5",
}


def analogies(sections: dict[str, str]) -> str:
    """Every pair of a section with every other."""
    lines = []
    for section, pairs in sections.items():
        lines.append(f": {section}")
        lines += [f"{first} {second}" for first, second in permutations(pairs.split(", "), 2)]
    return "".join(f"{line}\n" for line in lines)


def similarities(pairs: str) -> str:
    """A pair a line, with its score."""
    return "".join("\t".join(pair.split()) + "\n" for pair in pairs.split(", "))


def make(folder: Path) -> None:
    """Write the four sets below `folder`."""
    target = folder / "sample-embedding-eval"
    target.mkdir(parents=True, exist_ok=True)
    for language in ("en", "zh"):
        (target / f"analogies-{language}.txt").write_bytes(analogies(ANALOGIES[language]).encode())
        (target / f"similarity-{language}.txt").write_bytes(similarities(SIMILARITIES[language]).encode())


if __name__ == "__main__":
    make(HERE)
