"""Write the corpora that the project made itself: short reviews with a label, and sentences with parts of speech.

`python data/sample/make.py` writes the same bytes every time; they are in git, with their digests in the registry. One
small grammar serves both English ones, so a tagger trained on the sentences knows the reviews; another one makes the
Chinese reviews, written without spaces, with numbers, Latin words, names and addresses among them. Word order matters
a little: "not bad", "never dull", and of two clauses around "but" the later one decides. A twenty-fifth of the labels is
wrong, as in real corpora, one test text repeats a training text and one training text another.
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

    def text(self, good: bool) -> str:
        """A review as a corpus holds it: its words between spaces."""
        return " ".join(word for word, _, _ in self.review(good))


CHINESE_THINGS = words(  # each behind its measure word
    "部电影 部小说 部话剧 部手机 部动画 本杂志 本词典 本诗集 首歌曲 首诗 台相机 台电脑 台冰箱 张唱片 张地图 张桌子 家餐厅 家酒店 "
    "家书店 家超市 间房间 件大衣 件衬衫 双鞋子 副耳机 款游戏 款键盘 个故事 个结局 个展览 个节目 个软件 顿早餐 道菜 杯咖啡 场演出 场比赛"
)
CHINESE_GOOD = words("精彩 有趣 感人 舒服 漂亮 可爱 优秀 出色 完美 温暖 独特 生动 迷人 精致 实用 地道 大方 贴心")
CHINESE_BAD = words("无聊 糟糕 粗糙 乏味 混乱 难看 单调 沉闷 肤浅 老套 廉价 尴尬 平庸 可笑 差劲 俗气 马虎 别扭")
CHINESE_ADVERBS = words("非常 特别 十分 相当 确实 实在 比较 有点 真的 格外 总是")
CHINESE_LIKE, CHINESE_DISLIKE = words("喜欢 欣赏 喜爱 推荐 怀念"), words("讨厌 嫌弃 反感 厌恶 痛恨")
CHINESE_PEOPLE = words("同事 朋友 邻居 老师 学生 医生 司机 记者 妹妹 哥哥 爸爸 妈妈 同学 经理")
CHINESE_PLACES = words("车站 公园 学校 图书馆 办公室 机场 市场 医院 银行 电影院 村子 河边 北京 上海 成都 广州")
CHINESE_TIMES = words("昨天 前天 上周 周末 上个月 去年 今年春天 早上 中午 晚上 十月 星期三")
CHINESE_VERBS = words("看见 听说 发现 提到 打听 讨论 想起 遇到")
CHINESE_BRANDS = words("iPhone iPad DVD wifi APP KTV SUV CD MP3 Windows ＶＣＤ")
CHINESE_NAMES = words("小明 小红 张伟 李娜 王芳 阿强 老刘 小赵")
CHINESE_TOPICS = words("周末 旅行 读书 美食 音乐 日记 购物 生活")
CHINESE_SIGNS = words("😀 😂 👍 ～ ……")
CODE = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"


class ChineseGrammar(Grammar):
    """Clauses as in English, as strings."""

    def upto(self, most: int) -> int:
        """A number from 1 to `most`."""
        return 1 + int(self.random() * most)

    def this(self) -> str:
        return self.one(["这", "那"]) + self.one(CHINESE_THINGS)

    def chinese_judgement(self, good: bool) -> str:
        """ "这部电影非常精彩", "那本杂志并不无聊", "我不喜欢这首歌曲"."""
        kind = self.random()
        right, wrong = (CHINESE_GOOD, CHINESE_BAD) if good else (CHINESE_BAD, CHINESE_GOOD)
        if kind < 0.7:
            first = self.one(right)
            if self.chance(0.3):
                return f"{self.this()}又{first}又{self.one([word for word in right if word != first])}"
            return f"{self.this()}{self.one(CHINESE_ADVERBS) if self.chance(0.7) else '很'}{first}"
        if kind < 0.8:
            return f"{self.this()}{self.one(['并不', '一点也不', '不算'])}{self.one(wrong)}"
        if kind < 0.95:
            return f"我{self.one(['很', '一直', '真的'])}{self.one(CHINESE_LIKE if good else CHINESE_DISLIKE)}{self.this()}"
        return f"我并不{self.one(CHINESE_DISLIKE if good else CHINESE_LIKE)}{self.this()}"

    def chinese_opinion(self, good: bool) -> str:
        """One judgement, or two of which the one behind "but" decides."""
        kind = self.random()
        stop = self.one(["。", "。", "！"])
        if kind < 0.86:
            return f"{self.chinese_judgement(good)}{stop}"
        but = self.one(["但是", "不过", "可是"])
        although = "虽然" if kind < 0.93 else ""
        return f"{although}{self.chinese_judgement(not good)}，{but}{self.chinese_judgement(good)}{stop}"

    def chinese_remark(self) -> str:
        """A sentence without an opinion."""
        someone, place, when = self.one(CHINESE_PEOPLE), self.one(CHINESE_PLACES), self.one(CHINESE_TIMES)
        kind = int(self.random() * 8)
        if kind == 0:
            return f"我们{when}在{place}{self.one(CHINESE_VERBS)}{self.this()}。"
        if kind == 1:
            return f"{someone}{when}从{place}带来一{self.one(CHINESE_THINGS)}。"
        if kind == 2:
            return f"一共花了{self.upto(900)}元，等了{self.upto(9)}天。"
        if kind == 3:
            return f"{when}用{self.one(CHINESE_BRANDS)}下单，打{self.upto(9)}.{self.upto(9)}折，省了{self.upto(60)}%。"
        if kind == 4:
            return f"转自@{self.one(CHINESE_NAMES)}：{someone}{when}去了{place}。"
        if kind == 5:
            return f"#{self.one(CHINESE_TOPICS)}#{someone}和我在{place}{self.one(CHINESE_VERBS)}{self.one(CHINESE_BRANDS)}。"
        if kind == 6:
            return f"详情请看http://t.cn/{''.join(self.one(list(CODE)) for _ in range(7))} {when}更新。"
        return f"{someone}说{place}离{self.one([other for other in CHINESE_PLACES if other != place])}有{self.upto(30)}公里。"

    def chinese_review(self, good: bool) -> str:
        """One opinion or two of one mind, and a remark before or after them."""
        opinions = "".join(self.chinese_opinion(good) for _ in range(1 + self.chance(0.6)))
        sign = self.one(CHINESE_SIGNS) if self.chance(0.1) else ""
        return self.chinese_remark() + opinions + sign if self.chance(0.5) else opinions + sign + self.chinese_remark()


def grams(text: str) -> set[str]:
    """The character 5-grams of a text."""
    return {text[start : start + 5] for start in range(len(text) - 4)}


def reviews(review: Callable[[bool], str], chance: Callable[[float], bool]) -> dict[str, list[str]]:
    """Lines of label, tab, text; texts of different splits are far apart.

    Args:
        review: draws a text of a good or a bad opinion.
        chance: is True for a share of the calls.
    """
    lines: dict[str, list[str]] = {}
    known: list[set[str]] = []
    for split, count in TEXTS.items():
        lines[split], fresh = [], []
        while len(lines[split]) < count:
            good = len(lines[split]) % 2 == 0
            text = review(good)
            own = grams(text)
            if own not in fresh and all(len(own & other) < LARGEST_OVERLAP * len(own | other) for other in known):
                fresh.append(own)
                label = good != chance(WRONG_LABELS)
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
    """Write all corpora below `folder`."""
    for name in ("sample-en", "sample-treebank-en", "sample-zh"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    english, chinese = Grammar(seed=1), ChineseGrammar(seed=3)
    for name, lines in (
        ("sample-en", reviews(english.text, english.chance)),
        ("sample-zh", reviews(chinese.chinese_review, chinese.chance)),
    ):
        for split in TEXTS:
            (folder / f"{name}/{split}.txt").write_bytes("".join(f"{line}\n" for line in lines[split]).encode())
    grammar = Grammar(seed=2)
    for split, count in SENTENCES.items():
        (folder / f"sample-treebank-en/{split}.conllu").write_bytes("".join(sentences(grammar, count)).encode())


if __name__ == "__main__":
    make(HERE)
