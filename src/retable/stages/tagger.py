"""Train the part-of-speech tagger on a treebank.

In   data/raw/<treebank>/{train,dev,test}.conllu
Out  data/parts/context/{model/ (a spaCy pipeline),accuracy.json}
"""

from typing import Any

from retable.corpora import treebank
from retable.files import atomic_folder, write_json
from retable.project.command import command
from retable.project.params import read_params
from retable.project.paths import RAW, TAGGER
from retable.project.progress import progress
from retable.text.parts.treebank_tagger import score_tagger, train_tagger


@command
def main() -> None:
    params: dict[str, Any] = dict(read_params("tagger"))
    bank = treebank(params.pop("treebank"))
    train, dev, test = (list(bank.read(RAW / bank.name / f"{split}.conllu")) for split in ("train", "dev", "test"))
    with progress(f"tagger · {bank.name}", params["steps"], "steps") as bar:

        def show(loss: float, accuracy: float) -> None:
            bar.advance(1, f"(loss {loss:.3f} a word, dev accuracy {accuracy:.1%})")

        tagger = train_tagger(train, dev, on_step=show, **params)
    accuracy = {
        name: score_tagger(tagger, sentences, lowercase=lowercase)
        for name, sentences, lowercase in (("dev", dev, False), ("test", test, False), ("test_lowercased", test, True))
    }
    with atomic_folder(TAGGER) as folder:
        tagger.to_disk(folder / "model")
        write_json(folder / "accuracy.json", {"treebank": bank.name, **accuracy})
