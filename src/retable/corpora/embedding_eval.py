"""Test sets of word vectors: English analogies (one set) and similarities (fifteen), Chinese analogies (three).

No words of these files are used in training. CA8 (Chinese) is one set in two files.
"""

from functools import partial

from retable.corpora.evaluation_sets import EvaluationSets, SetFile
from retable.declaration import github

word2vec = partial(github, "tmikolov/word2vec", "20c129af10659f7c50e86e3be406df663beff438")
gensim = partial(github, "piskvorky/gensim", "37f90ec121eb7cd401448a947e80953e0c53ccdc")
word_similarity = partial(github, "mfaruqui/eval-word-vectors", "94b3dd9fdbac7ed08dbee7179cd5ee464acf0594")
chinese = partial(github, "Embedding/Chinese-Word-Vectors", "3096a475f79f218dde7b413dcc6b507d302b7f46")

analogies, similarity = partial(SetFile, "analogies"), partial(SetFile, "similarity")

REFERENCE = EvaluationSets(
    name="embedding-eval",
    language="en, zh",
    title="test sets of word vectors",
    files={
        "questions-words.txt": word2vec(
            "questions-words.txt",
            mirror="embedding_eval/questions-words.txt",
            sha256="8c29b3332afc46f3fb8be04cb5297bf96f39aa7131272dff57869b4485b22a36",
            size=603_955,
        ),
        "wordsim353.tsv": gensim(
            "gensim/test/test_data/wordsim353.tsv",
            mirror="embedding_eval/wordsim353.tsv",
            sha256="f92a022fc2537793a15bc3a8c162ebcd74990e033a228bb6388cb71e4c0b1e1d",
            size=7_186,
        ),
        "simlex999.txt": gensim(
            "gensim/test/test_data/simlex999.txt",
            mirror="embedding_eval/simlex999.txt",
            sha256="d5e0501971478a511430ee880bd0121e94ac701ba86d90544d83e6d2ba3db05d",
            size=18_126,
        ),
        "EN-MC-30.txt": word_similarity(
            "data/word-sim/EN-MC-30.txt",
            mirror="embedding_eval/word-sim/EN-MC-30.txt",
            sha256="33ee05911496ff83d95cac351d0746c6f63b9181b605cb7d307f4daa8864511b",
            size=543,
        ),
        "EN-MEN-TR-3k.txt": word_similarity(
            "data/word-sim/EN-MEN-TR-3k.txt",
            mirror="embedding_eval/word-sim/EN-MEN-TR-3k.txt",
            sha256="888b13580faa362c7b11da0a670258cf1b1eb4bf0ecbcd418918729a3bd3f43a",
            size=53_593,
        ),
        "EN-MTurk-287.txt": word_similarity(
            "data/word-sim/EN-MTurk-287.txt",
            mirror="embedding_eval/word-sim/EN-MTurk-287.txt",
            sha256="a9ae3a9decb75a9700fe0cf18b048c1344774d9f40e0196baf8e34d4cd9d1ce5",
            size=7_218,
        ),
        "EN-MTurk-771.txt": word_similarity(
            "data/word-sim/EN-MTurk-771.txt",
            mirror="embedding_eval/word-sim/EN-MTurk-771.txt",
            sha256="04dc297c9e86b6fa7cf8ef0e4ba2e2c8d3399ec68d92fb7a53c0b4aae27198b5",
            size=19_628,
        ),
        "EN-RG-65.txt": word_similarity(
            "data/word-sim/EN-RG-65.txt",
            mirror="embedding_eval/word-sim/EN-RG-65.txt",
            sha256="c243f3a91c3f5d8cf67f21a67f6fb80bde8b6bb060851a6a48e6f2d68ec98c9f",
            size=1_210,
        ),
        "EN-RW-STANFORD.txt": word_similarity(
            "data/word-sim/EN-RW-STANFORD.txt",
            mirror="embedding_eval/word-sim/EN-RW-STANFORD.txt",
            sha256="5108d54dfc746f44f9c3d7e31d2857c37cf71430bc1594175a61a3b89bb0ae1f",
            size=49_851,
        ),
        "EN-SIMLEX-999.txt": word_similarity(
            "data/word-sim/EN-SIMLEX-999.txt",
            mirror="embedding_eval/word-sim/EN-SIMLEX-999.txt",
            sha256="405394ffb7d25f6d0e3c041f87c9f27d29dc6b047506769953e85c4523b11685",
            size=18_024,
        ),
        "EN-SimVerb-3500.txt": word_similarity(
            "data/word-sim/EN-SimVerb-3500.txt",
            mirror="embedding_eval/word-sim/EN-SimVerb-3500.txt",
            sha256="9d84274e7ad029fd3cf69dd0516e9ade624bbef9bd4e2050f6cc1fa01471e0f5",
            size=65_315,
        ),
        "EN-VERB-143.txt": word_similarity(
            "data/word-sim/EN-VERB-143.txt",
            mirror="embedding_eval/word-sim/EN-VERB-143.txt",
            sha256="7259e19961c81912aa4c72de0102e480b2ad2bb9f4ce97d036fbde8e1a403001",
            size=3_320,
        ),
        "EN-WS-353-ALL.txt": word_similarity(
            "data/word-sim/EN-WS-353-ALL.txt",
            mirror="embedding_eval/word-sim/EN-WS-353-ALL.txt",
            sha256="ce12919b240af45bdf46d243601eaca2b6212b159b5e7e9b435ee7ee40c5619c",
            size=7_405,
        ),
        "EN-WS-353-REL.txt": word_similarity(
            "data/word-sim/EN-WS-353-REL.txt",
            mirror="embedding_eval/word-sim/EN-WS-353-REL.txt",
            sha256="66a7c88100624d0a391605ff61ce84e11d11ee620d51ec0298da49592838f8fa",
            size=5_134,
        ),
        "EN-WS-353-SIM.txt": word_similarity(
            "data/word-sim/EN-WS-353-SIM.txt",
            mirror="embedding_eval/word-sim/EN-WS-353-SIM.txt",
            sha256="f1da938998863c94e53f72f984a5c6e215f0b46c323aae8f0f4930703a339107",
            size=4_002,
        ),
        "EN-YP-130.txt": word_similarity(
            "data/word-sim/EN-YP-130.txt",
            mirror="embedding_eval/word-sim/EN-YP-130.txt",
            sha256="7643fdbc6158c3424061e2cba450c71285767266ff9f3db947bfc1f1f5ce67ab",
            size=2_614,
        ),
        "ca8-morphological.txt": chinese(
            "testsets/CA8/morphological.txt",
            mirror="embedding_eval/zh/morphological.txt",
            sha256="ed47740c28d5ce052f205e7ffff8e28dfefe451fcd39867bbe98ef710cc6bf4f",
            size=341_904,
        ),
        "ca8-semantic.txt": chinese(
            "testsets/CA8/semantic.txt",
            mirror="embedding_eval/zh/semantic.txt",
            sha256="aed64568e6350ce08f7b9e4af2bd8aadd7ff0498b812cd94c660638ed8ad1f4a",
            size=265_603,
        ),
        "ca-translated.txt": chinese(
            "testsets/CA_translated/ca_translated.txt",
            mirror="embedding_eval/zh/ca_translated.txt",
            sha256="94919a535ed2e0682e6ad12f7508b2aac9b11d0fa048999ec85b9723c0f0aef5",
            size=31_539,
        ),
    },
    sets={
        "questions-words.txt": analogies("en", 19_544),
        "wordsim353.tsv": similarity("en", 353),
        "simlex999.txt": similarity("en", 999),
        "EN-MC-30.txt": similarity("en", 30),
        "EN-MEN-TR-3k.txt": similarity("en", 3_000),
        "EN-MTurk-287.txt": similarity("en", 287),
        "EN-MTurk-771.txt": similarity("en", 771),
        "EN-RG-65.txt": similarity("en", 65),
        "EN-RW-STANFORD.txt": similarity("en", 2_034),
        "EN-SIMLEX-999.txt": similarity("en", 999),
        "EN-SimVerb-3500.txt": similarity("en", 3_500),
        "EN-VERB-143.txt": similarity("en", 144),
        "EN-WS-353-ALL.txt": similarity("en", 353),
        "EN-WS-353-REL.txt": similarity("en", 252),
        "EN-WS-353-SIM.txt": similarity("en", 203),
        "EN-YP-130.txt": similarity("en", 130),
        "ca8-morphological.txt": analogies("zh", 10_177),
        "ca8-semantic.txt": analogies("zh", 7_636),
        "ca-translated.txt": analogies("zh", 953),
    },
    source="https://github.com/tmikolov/word2vec, https://github.com/mfaruqui/eval-word-vectors, "
    "https://github.com/Embedding/Chinese-Word-Vectors",
    paper="Mikolov et al., ICLR 2013 (questions-words); Faruqui and Dyer, ACL 2014 (gathered the similarity sets); Li "
    "et al., Analogical Reasoning on Chinese Morphological and Semantic Relations, ACL 2018 (CA8); Chen et al., IJCAI "
    "2015 (ca-translated)",
    licence="Apache-2.0 (questions-words, the Chinese sets); none is stated for the similarity sets: cite their papers",
    note="wordsim353 and EN-WS-353-ALL, simlex999 and EN-SIMLEX-999 are the same pairs from two publishers",
)
