"""BERT-base, fine-tuned: a pretrained Transformer encoder and a linear layer on it, all trained together.

Source     Devlin, Chang, Lee and Toutanova, "BERT: Pre-training of Deep Bidirectional Transformers for Language
           Understanding", NAACL 2019, sections 3.2 and 4.1, appendix A.3 (batches of 16 or 32, Adam at 2e-5 to 5e-5, 2
           to 4 epochs, warm-up over a tenth of the steps, linear decay). From memory, not checked against the paper;
           the encoder is the one in transformers.
Equation   scores = W dropout(C) + b, C = tanh(W_p h_[CLS] + b_p), h the states of the last of 12 layers.
Weights    pretrained weights are needed: the hub's model at a pinned revision, or a folder with the same three files.
           They are read as JSON and safetensors: no pickle, and no code that comes with them.
Choice     the epoch, by the score on dev, the first of ties; the paper chooses the rate as well.
Decision   AdamW with a decay of 0.01 on all weights, gradients clipped at norm 1 (the authors' code, from memory). A
           pair is read as one text: its joined tokens, as in a linear model.
Shapes     B texts, T pieces (padded on the right), C classes.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load as tensors_of
from safetensors.torch import save
from torch import Tensor, nn

from retable.errors import InputError, shortened
from retable.files import atomic_file, write_json
from retable.forms import Named, Number, Plain, Section, Text
from retable.layers.options import AtLeast, Count, Positive, Share
from retable.models.candidate import Candidate, OnCandidate, Search
from retable.models.linear import OF_TEXTS, read_facts
from retable.models.minilm import texts_of
from retable.models.sentence_encoder import FILES, bert_flops, need, padded
from retable.project.progress import progress
from retable.text.splits import Split
from retable.text.units import RAW, Unit

FILE = "bert.json"
FORM = Section(  # of this file; the tokenizer is a JSON file of its own
    {
        **OF_TEXTS, "config": Named(Plain()), "tokenizer": Text(r"(?s:.*)", "text", longest=10**8),
        "max_pieces": Number(3, 10**6, whole=True), "flops_per_text": Number(0),
    },
    closed=True,
)  # fmt: skip
BATCH = 32  # texts per batch in evaluation
DECAY, LARGEST_NORM, WARM = 0.01, 1.0, 0.1
RENAMED = {".gamma": ".weight", ".beta": ".bias"}  # names of norms in the files of 2018
NOT_READ = ("cls.", "bert.embeddings.position_ids")  # the heads of pretraining


class FineTuned(nn.Module):
    """The encoder with its pooler, and the classifier.

    Args:
        config: the encoder's config.json.
        classes: number of classes.
        dropout: share of C's components that are dropped in training.
    """

    def __init__(self, config: dict[str, Any], classes: int, dropout: float) -> None:
        super().__init__()
        need("transformers")
        from transformers import BertConfig, BertModel  # not at the top: they come with the extra

        self.bert = BertModel(BertConfig(**config))
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(self.bert.config.hidden_size, classes)  # W, b
        nn.init.normal_(self.output.weight, std=self.bert.config.initializer_range)
        nn.init.zeros_(self.output.bias)

    def forward(self, pieces: Tensor, mask: Tensor) -> Tensor:
        """Map pieces (B, T) and their mask to logits (B, C)."""
        pooled = self.bert(input_ids=pieces, attention_mask=mask.long()).pooler_output  # C
        logits: Tensor = self.output(self.dropout(pooled))
        return logits


@dataclass(frozen=True)
class BertClassifier:
    """A fine-tuned network, its tokenizer and input settings; `flops_per_text` is the mean over training texts."""

    network: FineTuned
    config: dict[str, Any]
    tokenizer: str
    max_pieces: int
    unit: Unit
    lowercase: bool
    flops_per_text: float

    def pieces(self, split: Split) -> list[list[int]]:
        """Return the piece numbers of every text, [CLS] first and [SEP] last."""
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_str(self.tokenizer)
        tokenizer.no_padding()
        tokenizer.enable_truncation(self.max_pieces)
        return [found.ids for found in tokenizer.encode_batch(texts_of(split, self.unit, lowercase=self.lowercase))]

    def probabilities(self, split: Split) -> np.ndarray:
        """Return the class probabilities of every text, float32 (N, C)."""
        return answers(self.network, self.pieces(split), f"{len(split.ids):,} texts of {split.facts.corpus}")

    def save(self, folder: Path) -> None:
        """Write weights.safetensors and bert.json."""
        with atomic_file(folder / "weights.safetensors") as part:
            weights = self.network.state_dict().items()
            part.write_bytes(save({name: weight.contiguous().cpu().clone() for name, weight in weights}))
        names = ("config", "tokenizer", "max_pieces", "unit", "lowercase", "flops_per_text")
        write_json(folder / FILE, {name: getattr(self, name) for name in names})

    def cost_facts(self, words_per_text: float) -> dict[str, float]:
        """Return the number of weights, all of which are trained, and forward FLOPs per unit of a text."""
        return {
            "parameters": sum(weight.numel() for weight in self.network.parameters()),
            "parameters_tuned_words": 0,
            "flops_per_word": (self.flops_per_text + 2.0 * self.network.output.weight.numel()) / words_per_text,
        }


def load_bert(folder: Path) -> BertClassifier:
    """Read what `BertClassifier.save` wrote. Raises: InputError if bert.json has another form."""
    facts = read_facts(folder / FILE, FORM)
    weights = tensors_of((folder / "weights.safetensors").read_bytes())
    network = FineTuned(facts["config"], len(weights["output.bias"]), 0.0)
    network.load_state_dict(weights)
    return BertClassifier(network.to(best_device()).eval(), **facts)


def train_bert_base(
    train: Split,
    dev: Split,
    *,
    lowercase: bool,
    seed: int,
    unit: Unit = RAW,
    weights: str = "google-bert/bert-base-uncased",
    revision: str = "main",
    learning_rate: Positive = 2e-5,
    epochs: Count = 4,
    batch_size: Count = 32,
    max_pieces: Annotated[int, AtLeast(3)] = 256,
    dropout: Share = 0.1,
    on_candidate: OnCandidate | None = None,
) -> tuple[BertClassifier, list[Candidate]]:
    """Fine-tune BERT-base from pretrained weights and choose the best epoch.

    Args:
        seed: for the classifier's first weights, the order of texts and dropout.
        weights: the pretrained model's name on the hub, or a folder with its three files.
        revision: of the model on the hub.
        learning_rate: the largest of the schedule.
        epochs: passes over the training texts.
        batch_size: texts per step.
        max_pieces: texts are cut to this many pieces, including [CLS] and [SEP].
        dropout: share of C's components that are dropped in training.
        on_candidate: called with each epoch's score on dev.
    Raises: ValueError if max_pieces is more than BERT reads; InputError if transformers or weights are
        missing.
    """
    need("transformers")
    torch.manual_seed(seed)
    files = pretrained_files(weights, revision)
    network, config, tokenizer = pretrained(files, weights, len(train.facts.labels), dropout)
    if max_pieces > (most := network.bert.config.max_position_embeddings):
        raise InputError(f"model.max_pieces is {max_pieces}; allowed: at most {most}, which is what {weights} reads.")
    network.to(best_device())
    found = BertClassifier(network, config, tokenizer, max_pieces, unit, lowercase, 0.0)
    pieces, pieces_dev = found.pieces(train), found.pieces(dev)
    flops = float(bert_flops(network.bert.config, np.array([len(each) for each in pieces])).mean())
    search = Search(dev, epochs, on_candidate)
    best: dict[str, Tensor] = {}
    for epoch in fine_tuned(network, pieces, train.classes, learning_rate, epochs, batch_size, seed):
        probabilities = answers(network, pieces_dev, f"{len(pieces_dev):,} dev texts")
        if search.add(f"epoch-{epoch}", learning_rate, probabilities):
            best = {name: weight.clone() for name, weight in network.state_dict().items()}
        if search.ended:
            break
    network.load_state_dict(best)
    return BertClassifier(network.eval(), config, tokenizer, max_pieces, unit, lowercase, flops), search.tried


def fine_tuned(
    network: FineTuned,
    pieces: Sequence[Sequence[int]],
    classes: np.ndarray,
    learning_rate: float,
    epochs: int,
    batch_size: int,
    seed: int,
) -> Iterator[int]:
    """Train on texts and yield the number of every epoch, from 1, at its end."""
    optimiser = torch.optim.AdamW(network.parameters(), lr=learning_rate, weight_decay=DECAY)
    steps = epochs * -(-len(pieces) // batch_size)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate_share(step, steps))
    order, device = np.random.default_rng(seed), network.output.weight.device
    with progress("fine-tuning", epochs * len(pieces), "texts") as bar:
        for epoch in range(1, epochs + 1):
            network.train()
            for texts in np.array_split(order.permutation(len(pieces)), steps // epochs):
                x, mask = padded([pieces[text] for text in texts])
                loss = F.cross_entropy(
                    network(x.to(device), mask.to(device)), torch.from_numpy(classes[texts]).to(device)
                )
                optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), LARGEST_NORM)
                optimiser.step()
                schedule.step()
                bar.advance(len(texts))
            yield epoch


def rate_share(step: int, steps: int) -> float:
    """Return the share of the largest rate at a step, from 0: warm-up over a tenth of all steps, then linear decay."""
    warm = max(1, round(WARM * steps))
    return (step + 1) / warm if step < warm else (steps - step) / max(1, steps - warm)


def answers(network: FineTuned, pieces: Sequence[Sequence[int]], what: str) -> np.ndarray:
    """Return the class probabilities of texts, float32 (N, C); texts of similar length share a batch."""
    network.eval()
    found = np.zeros((len(pieces), network.output.out_features), np.float32)
    places, device = np.argsort([len(each) for each in pieces], kind="stable"), network.output.weight.device
    with progress(f"answers to {what}", len(pieces), "texts") as bar, torch.inference_mode():
        for start in range(0, len(places), BATCH):
            at = places[start : start + BATCH]
            x, mask = padded([pieces[place] for place in at])
            found[at] = network(x.to(device), mask.to(device)).softmax(dim=1).cpu().numpy()
            bar.advance(len(at))
    return found


def pretrained(
    files: dict[str, bytes], name: str, classes: int, dropout: float
) -> tuple[FineTuned, dict[str, Any], str]:
    """Return the network with its pretrained weights, its config and its tokenizer. Raises: InputError."""
    from tokenizers import Tokenizer

    try:
        config: dict[str, Any] = json.loads(files["config.json"])
        network = FineTuned(config, classes, dropout)
        load_pretrained(network, files["model.safetensors"], name)
        Tokenizer.from_str(tokenizer := files["tokenizer.json"].decode("utf-8"))
    except (InputError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - transformers, tokenizers and safetensors have their own exception types
        raise InputError(
            f"model.weights is {name}, whose files are not those of a BERT ({shortened(str(error))}); name another, or "
            "put them there again."
        ) from None
    return network, config, tokenizer


def load_pretrained(network: FineTuned, content: bytes, name: str) -> None:
    """Load pretrained weights into the encoder. Raises: InputError unless they fit it."""
    found = {}
    for key, weight in tensors_of(content).items():
        key = key if key.startswith(("bert.", "cls.")) else f"bert.{key}"
        for old, new in RENAMED.items():
            key = key.replace(f"LayerNorm{old}", f"LayerNorm{new}")
        if not key.startswith(NOT_READ):
            found[key] = weight
    missing, unknown = network.load_state_dict(found, strict=False)
    if unknown or set(missing) != {"output.weight", "output.bias"}:
        other = [*unknown, *(key for key in missing if not key.startswith("output."))]
        raise InputError(f"model.weights is {name}, whose weights are not those of a BERT: {', '.join(other[:3])}.")


def pretrained_files(weights: str, revision: str) -> dict[str, bytes]:
    """Return config.json, model.safetensors and tokenizer.json from a folder, else from the hub. Raises: InputError."""
    if Path(weights).is_dir():
        lacks = [name for name in FILES if not (Path(weights) / name).is_file()]
        if lacks:
            raise InputError(f"model.weights is {weights}, a folder without {', '.join(lacks)}.")
        return {name: (Path(weights) / name).read_bytes() for name in FILES}
    from huggingface_hub import hf_hub_download  # not at the top: it comes with transformers

    try:
        return {name: Path(hf_hub_download(weights, name, revision=revision)).read_bytes() for name in FILES}
    except (OSError, ValueError) as error:
        raise InputError(
            f"model.weights is {weights}, which is not a folder, and the hub cannot be reached "
            f"({type(error).__name__}); set it to a folder with config.json, model.safetensors and tokenizer.json."
        ) from None


def best_device() -> torch.device:
    """Return the GPU if there is one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
