"""A part-of-speech tagger, trained on a treebank: spaCy's convolutions over words, prefixes, suffixes and shapes.

Two heads share one encoder: XPOS (`token.tag_`, the treebank's own tags) and UPOS (`token.pos_`, the universal ones).
Many corpora are all lower-case, so a share of the training sentences is lower-cased too. Used by english.py.
"""

import random
from collections.abc import Callable, Iterator, Sequence

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from thinc.api import Adam

from retable.declaration import Sentence

STEPS_BETWEEN_SCORES = 100


def train_tagger(
    train: Sequence[Sentence],
    dev: Sequence[Sentence],
    *,
    steps: int,
    batch_words: int,
    learning_rate: float,
    dropout: float,
    lowercased: float,
    width: int,
    depth: int,
    seed: int,
    on_step: Callable[[float, float], None] = lambda loss, accuracy: None,
) -> Language:
    """Train on gold tokens; the final weights are the average over the steps.

    Args:
        steps: number of updates, each on `batch_words` words.
        lowercased: share of sentences to lower-case, in [0, 1].
        width, depth: word vector dimensions, convolution layers (each sees one neighbour on each side).
        on_step: called with the loss per word and the UPOS accuracy on `dev` (updated every 100 steps; 0 at first).
    """
    fix_random_seed(seed)
    tagger = _blank_tagger(width, depth)
    tagger.initialize(lambda: [_example(tagger, sentence, lowercase=False) for sentence in train])
    optimiser = Adam(learning_rate, L2=0.01, L2_is_weight_decay=True, grad_clip=1.0, use_averages=True)
    batches = _batches(train, batch_words, lowercased, random.Random(seed))
    accuracy = 0.0
    for step in range(1, steps + 1):
        batch = [_example(tagger, sentence, lowercase=lowercase) for sentence, lowercase in next(batches)]
        losses = tagger.update(batch, sgd=optimiser, drop=dropout)
        if step % STEPS_BETWEEN_SCORES == 0 or step == steps:
            with tagger.use_params(optimiser.averages):
                accuracy = score_tagger(tagger, dev)["upos"]
        words = sum(len(example.predicted) for example in batch)
        on_step((losses["tagger"] + losses["morphologizer"]) / words, accuracy)
    with tagger.use_params(optimiser.averages):
        averaged = tagger.to_bytes()
    return tagger.from_bytes(averaged)


def score_tagger(tagger: Language, sentences: Sequence[Sentence], *, lowercase: bool = False) -> dict[str, float]:
    """Return the share of words with the right universal ("upos") and treebank ("xpos") tag."""
    upos = xpos = words = 0
    documents = tagger.pipe(Doc(tagger.vocab, _words(sentence, lowercase)) for sentence in sentences)
    for sentence, document in zip(sentences, documents, strict=True):
        upos += sum(token.pos_ == tag for token, tag in zip(document, sentence.upos, strict=True))
        xpos += sum(token.tag_ == tag for token, tag in zip(document, sentence.xpos, strict=True))
        words += len(document)
    return {"upos": upos / words, "xpos": xpos / words, "words": words}


def _blank_tagger(width: int, depth: int) -> Language:
    tagger = spacy.blank("en")
    embed = {
        "@architectures": "spacy.MultiHashEmbed.v2", "width": width, "include_static_vectors": False,
        "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE"], "rows": [5000, 1000, 2500, 2500],
    }  # fmt: skip
    encode = {
        "@architectures": "spacy.MaxoutWindowEncoder.v2", "width": width, "depth": depth,
        "window_size": 1, "maxout_pieces": 3,
    }  # fmt: skip
    encoder = {"@architectures": "spacy.Tok2Vec.v2", "embed": embed, "encode": encode}
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": width, "upstream": "*"}
    head = {"@architectures": "spacy.Tagger.v2", "nO": None, "normalize": False, "tok2vec": listener}
    tagger.add_pipe("tok2vec", config={"model": encoder})
    tagger.add_pipe("tagger", config={"model": head})
    tagger.add_pipe("morphologizer", config={"model": head})  # without features it predicts UPOS only
    return tagger


def _example(tagger: Language, sentence: Sentence, *, lowercase: bool) -> Example:
    words = _words(sentence, lowercase)
    gold = Doc(tagger.vocab, words, pos=list(sentence.upos), tags=list(sentence.xpos))
    return Example(Doc(tagger.vocab, words), gold)


def _words(sentence: Sentence, lowercase: bool) -> list[str]:
    return [word.lower() for word in sentence.words] if lowercase else list(sentence.words)


def _batches(
    sentences: Sequence[Sentence], words: int, lowercased: float, draw: random.Random
) -> Iterator[list[tuple[Sentence, bool]]]:
    """Yield batches of at least `words` words endlessly, reshuffled each epoch; True: lower-case the sentence."""
    batch: list[tuple[Sentence, bool]] = []
    filled = 0
    while True:
        for sentence in draw.sample(sentences, len(sentences)):
            batch.append((sentence, draw.random() < lowercased))
            filled += len(sentence.words)
            if filled >= words:
                yield batch
                batch, filled = [], 0
