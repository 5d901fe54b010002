"""Write docs/attention.json: the weights that LAMA gives the words of the project's own sample texts, for the site.

    make tables SCALE=smoke; python -m benchmarks.attention

One network per language is trained on the sample in seconds; some test texts that it answers correctly are shown,
and some that it does not. `digest` covers the texts with their weights: the site refuses any others.
"""

import json
from pathlib import Path
from typing import Any

import torch

from retable.experiments.digests import checked_vectors
from retable.experiments.scale import model_preset
from retable.figures.attention import attended_texts
from retable.files import sha256_of_value
from retable.project.paths import ROOT, TAGGED, VECTORS
from retable.text.splits import SPLITS, read_split
from retable.training.run import train_classifier

OUT = ROOT / "docs/attention.json"
READ = {  # corpus -> its word vectors, and how a text is read
    "sample-en": ("sample-en.word2vec-50", "words"),
    "sample-zh": ("sample-zh.word2vec-characters-50", "characters"),
}
OPTIONS = {"optimiser": "adam", "momentum": 0.0, "learning_rate": 0.003, "batch_size": 10, "epochs": 12}
SHOWN = 6  # number of correctly answered texts shown, and as many wrong ones if there are any


def texts_of(name: str) -> list[dict[str, Any]]:
    """Train on a sample and return the test texts to show, correct answers first."""
    vectors, unit = READ[name]
    preset = model_preset("lama")
    parameters = {
        "corpus": {"name": name},
        "model": preset["model"],
        "embedding": preset["embedding"] | {"vectors": vectors, "unit": unit},
        "training": preset["training"] | OPTIONS,
        "seed": 1, "device": "cpu", "precision": "float32",
    }  # fmt: skip
    train, dev, test = (read_split(TAGGED / name, split) for split in SPLITS)
    classifier: Any = train_classifier(parameters, train, dev, checked_vectors(VECTORS / vectors)).classifier
    answers = classifier.probabilities(test).argmax(axis=1)
    labels = test.facts.labels
    found = [
        {
            "corpus": name,
            "id": identity,
            "unit": unit,
            "label": text.label,
            "answer": labels[answer],
            "words": list(text.words),
            "weights": [round(weight, 4) for weight in text.weights.tolist()],
        }
        for identity, text, answer in zip(test.ids, attended_texts(classifier, test), answers, strict=True)
    ]
    right = [each for each in found if each["answer"] == each["label"]]
    wrong = [each for each in found if each["answer"] != each["label"]]
    print(f"{name}: {len(right)} of {len(found)} right")
    return right[:SHOWN] + wrong[:SHOWN]


def main(out: Path = OUT) -> None:
    torch.set_num_threads(1)
    texts = [text for name in READ for text in texts_of(name)]
    made = {"model": "lama", "training": OPTIONS, "digest": sha256_of_value(texts), "texts": texts}
    out.write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{out}: {len(texts)} texts, {out.stat().st_size / 1000:.0f} KB")


if __name__ == "__main__":
    main()
