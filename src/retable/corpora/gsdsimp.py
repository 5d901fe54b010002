"""UD Chinese GSDSimp: Wikipedia sentences with parts of speech, against which jieba's are held."""

from functools import partial

from retable.declaration import Source, github

file = partial(github, "UniversalDependencies/UD_Chinese-GSDSimp", "eb3aed31ebb170897405ee5cd1db83a1a0b11864")

REFERENCE = Source(
    name="gsdsimp",
    language="zh",
    title="Chinese sentences with parts of speech, development and test only",
    files={
        "dev.conllu": file(
            "zh_gsdsimp-ud-dev.conllu",
            mirror="ud_chinese_gsdsimp/zh_gsdsimp-ud-dev.conllu",
            sha256="342a2969df6d6d08bdc25dbc067c93c86ab3099bb054a9921ae7067cbc2c53ad",
            size=1_180_003,
        ),
        "test.conllu": file(
            "zh_gsdsimp-ud-test.conllu",
            mirror="ud_chinese_gsdsimp/zh_gsdsimp-ud-test.conllu",
            sha256="573f59b799b499a920d2d5bdc0e3c1dbd7bcacf86bdece4334ecbd03e21b6150",
            size=1_120_900,
        ),
    },
    source="https://github.com/UniversalDependencies/UD_Chinese-GSDSimp",
    paper="Qi, Yasuoka, UD_Chinese-GSDSimp; after Shen, McDonald, Zeman, Qi, UD_Chinese-GSD",
    licence="CC BY-SA 4.0",
    note="dev 500 sentences, 12,663 words; test 500, 12,012; no tagger is trained on it, so train is not declared",
)
