"""Train word2vec with gensim, reproducibly: one worker, and a fully determined order of the vocabulary.

Source     Mikolov et al., "Distributed Representations of Words and Phrases and their Compositionality", NIPS 2013.
Repeats    equal texts and parameters give equal bytes, for any PYTHONHASHSEED, and on every processor with AVX2:
           gensim adds with scipy's OpenBLAS, whose kernel is fixed (`retable/machine/openblas.py`).
"""

from collections.abc import Callable
from pathlib import Path

from retable.errors import unknown_name
from retable.machine.openblas import take_one_kernel
from retable.text.units import TokenUnit
from retable.vectors.store import WordVectors
from retable.vectors.token_lists import TokenLists, frequent_words

ALGORITHMS = {"cbow": 0, "skip-gram": 1}


def train_word2vec(
    texts: Path,
    *,
    size: int,
    epochs: int,
    window: int,
    min_count: int,
    negative: int,
    sample: float,
    algorithm: str,
    lowercase: bool,
    seed: int,
    unit: TokenUnit = "words",
    on_words: Callable[[int], None] = lambda words: None,
) -> WordVectors:
    """Train vectors on a pool.

    Args:
        texts: Parquet file with a column `tokens`, list<string>.
        size: dimensions of a vector.
        window: largest number of words on either side of a word that are predicted from it.
        min_count: a word that occurs less often gets no vector.
        negative: number of noise words per true word.
        sample: share of all tokens above which a word is subsampled (1e-3 to 1e-5).
        algorithm: "skip-gram" or "cbow".
        unit: "words", or "characters": then everything said about words applies to the characters of the texts.
        on_words: called with the number of further words read; `epochs` times the pool's words in total.
    Raises: InputError if the algorithm or unit is unknown or no word occurs `min_count` times.
    """
    if algorithm not in ALGORITHMS:
        raise unknown_name("algorithm of word vectors", algorithm, ALGORITHMS)
    take_one_kernel()
    import gensim  # imported here, as the kernel is chosen when scipy's OpenBLAS is loaded

    counts = TokenLists(texts, lowercase=lowercase, unit=unit).counts()
    frequent = frequent_words(counts, min_count, texts)
    model = gensim.models.Word2Vec(
        vector_size=size, window=window, min_count=min_count, negative=negative, sample=sample, seed=seed,
        sg=ALGORITHMS[algorithm], workers=1, sorted_vocab=0,
    )  # fmt: skip
    # gensim's own sort orders words of equal count differently on different machines.
    model.build_vocab_from_freq(frequent)
    sentences = TokenLists(texts, lowercase=lowercase, unit=unit, on_words=on_words)
    model.train(sentences, total_words=counts.total(), epochs=epochs)
    facts = {"training_words": counts.total(), "gensim": gensim.__version__}
    return WordVectors(list(model.wv.index_to_key), model.wv.vectors, facts)
