"""How often jieba's words and parts of speech are right, tagged in context and looked up in the comparison table.

    python -m retable.stages.download gsdsimp && python benchmarks/jieba_parts.py

Reads data/raw/gsdsimp/{dev,test}.conllu and data/parts/table/zh/table.tsv. The figures stand in docs/tagger.md.
"""

from retable.corpora.readers import read_conllu
from retable.project.command import command
from retable.project.paths import PARTS_TABLES, RAW
from retable.text.parts.chinese import chinese_words_and_parts, parts_in_context, plain_words
from retable.text.parts.comparison_table import read_table
from retable.text.parts.content import CONTENT
from retable.text.parts.jieba_accuracy import accuracy


@command
def main() -> None:
    for split in ("dev", "test"):
        sentences = list(read_conllu(RAW / f"gsdsimp/{split}.conllu"))
        texts = ["".join(sentence.words) for sentence in sentences]
        plain = plain_words(texts)
        table = read_table(PARTS_TABLES / "zh/table.tsv")
        for name, words, parts in (
            ("in context", *chinese_words_and_parts(texts)),
            ("table", plain, table.parts_of(plain, parts_in_context)),
        ):
            found = accuracy(sentences, words, parts, CONTENT)
            print(
                f"{split:4} {name:10} {found['words']:6,} words: F1 of words {found['found_f1']:.1%}, parts of these "
                f"right {found['right_part']:.1%}, content or not by character {found['same_verdict']:.1%}"
            )


if __name__ == "__main__":
    main()
