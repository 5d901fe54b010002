"""Write the network of a model folder as ONNX, and check that it agrees with torch before the file is kept."""

import json
import warnings
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor, nn

from retable.errors import InputError, shortened
from retable.files import atomic_file
from retable.own.model import Model
from retable.text.vocabulary import PADDING, UNKNOWN
from retable.training.network import NetworkClassifier

OPSET = 17
INPUTS, OUTPUT = ("words", "mask"), "probabilities"
NEAR = 1e-4  # largest difference of the probabilities
SHAPES = ((3, 7), (1, 1), (5, 4), (4, 40), (2, 1100))  # numbers of texts and words; the first is traced


class Answering(nn.Module):
    """A network followed by softmax: words int64 and mask bool (text, word) to probabilities (text, label)."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Return the probabilities."""
        probabilities: Tensor = self.network(words, mask).softmax(dim=1)
        return probabilities


def write_onnx(model: Model, path: Path) -> None:
    """Write a model as ONNX: inputs `words` and `mask`, output `probabilities`; the labels are in its metadata.

    Raises: InputError if it is not a network that reads words only, or ONNX cannot express it.
    """
    classifier, name = model.stored.classifier, model.stored.parameters["model"]["name"]
    if not isinstance(classifier, NetworkClassifier) or classifier.network.reads:
        raise InputError(f"{name} cannot be written as ONNX: it is not a network that reads only words.")
    import onnx
    import onnxruntime  # needed below to run the ONNX model

    network = Answering(classifier.network).cpu().eval()
    texts = list(random_texts(len(classifier.vocabulary.words)))
    free = {each: {0: "text", 1: "word"} for each in INPUTS} | {OUTPUT: {0: "text"}}
    quiet = onnxruntime.SessionOptions()
    quiet.log_severity_level = 4
    with atomic_file(path) as part:
        try:
            with warnings.catch_warnings(action="ignore"):  # the faster exporter is torch's older one, which warns
                torch.onnx.export(
                    network, texts[0], str(part), dynamo=False, opset_version=OPSET,
                    input_names=[*INPUTS], output_names=[OUTPUT], dynamic_axes=free,
                )  # fmt: skip
            written = onnx.load(part)
            onnx.helper.set_model_props(written, {"model": name, "labels": json.dumps(model.labels)})
            onnx.save(written, part)
            session = onnxruntime.InferenceSession(str(part), quiet, providers=["CPUExecutionProvider"])
            asked = {each.name for each in session.get_inputs()}  # a network may need no mask
            worst = 0.0
            for given in texts:
                fed = {each: value.numpy() for each, value in zip(INPUTS, given, strict=True) if each in asked}
                found = torch.from_numpy(session.run(None, fed)[0])
                with torch.no_grad():
                    worst = max(worst, (found - network(*given)).abs().max().item())
        except Exception as error:  # noqa: BLE001 - exporter and runtime have their own exception types
            raise InputError(f"{name} cannot be written as ONNX ({shortened(str(error).strip())}).") from None
        if not worst <= NEAR:
            raise InputError(
                f"{name} cannot be written as ONNX: its probabilities differed from torch's by {worst:.2g}."
            )


def random_texts(rows: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield words and mask of random texts of several lengths; the first text of each batch is the longest."""
    draw = torch.Generator().manual_seed(1)
    for texts, words in SHAPES:
        lengths = torch.randint(1, words + 1, (texts, 1), generator=draw)
        lengths[0] = words
        mask = torch.arange(words) < lengths
        drawn = torch.randint(UNKNOWN, rows, (texts, words), generator=draw)
        yield drawn.where(mask, torch.tensor(PADDING)), mask
