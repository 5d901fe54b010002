"""Check every network for GPU problems without a GPU: a training step, an evaluation, saving and loading.

    python -m benchmarks.fake_gpu [MODEL ...]

Left behind      A CPU build of torch can neither move a tensor to a fake CUDA device nor run backward on one, so the
                 meta device is used twice. First the network and its texts are on it: a tensor not moved with the
                 network is refused, up to the first value that is read (meta tensors have none). Then they are on the
                 CPU, and meta is the default device for new tensors: one made without a device cannot be mixed in.
Waits            A step on the CPU that watches each operation: wherever a number or a size is read from a tensor, a GPU
                 would have to be waited for. The line of our sources is reported.

The texts are the probe's: 1 to 70 words, with sentences, two sides, domains and parts of speech where a network reads
them. docs/gpu.md lists what only a real GPU can show.
"""

import argparse
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from probe.samples import VECTORS, write_samples
from probe.training import parameters_of
from retable.models import MODELS
from retable.text.splits import Split, read_split, read_texts
from retable.training.batches import BatchMaker
from retable.training.loop import cross_entropy
from retable.training.network import load_network, training_of, untrained_classifier
from retable.training.optimisers import build_optimisers
from retable.vectors.store import NO_VECTORS, WordVectors, read_vectors

ASKS = ("_local_scalar_dense", "nonzero", "masked_select", "_unique2", "unique_dim", "equal", "bincount")
SOURCES = Path(__file__).parents[1] / "src/retable"
TEXTS = 8
NO_NUMBERS = ("Tensor.item()", "nonzero", "meta tensor", "Meta tensors", "no fake impl", "data-dependent")


class Waits(TorchDispatchMode):
    """Count the operations that would wait for a GPU, by the line of our sources that causes them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: Counter[str] = Counter()

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = function.__name__.partition(".")[0]
        masks = name in ("index", "index_put", "index_put_", "_index_put_impl_") and any(
            index is not None and index.dtype == torch.bool for index in args[1]
        )
        if name in ASKS or masks:
            self.found[f"{name} in {line_of_ours()}"] += 1
        return function(*args, **(kwargs or {}))


def line_of_ours() -> str:
    """Return the innermost line of our sources that is being executed, or torch's own if there is none."""
    ours = (frame for frame in reversed(traceback.extract_stack()) if is_ours(frame.filename))
    return next(map(place, ours), "torch (backward or optimiser)")


def is_ours(file: str) -> bool:
    """Return whether a file is one of our sources."""
    return Path(file).is_relative_to(SOURCES)


def place(frame: traceback.FrameSummary) -> str:
    """Return the file and line."""
    return f"{Path(frame.filename).relative_to(SOURCES)}:{frame.lineno}"


def step(classifier: Any, train: Split, training: dict[str, Any], device: torch.device) -> None:
    """Take two training steps as `train_epoch` does, then go over the texts once as evaluation does.

    Values that are read only at the end of an epoch are left out.
    """
    network, own = classifier.network.train(), training_of(training)
    maker = BatchMaker(classifier.encoded(train), device, reads=network.reads)
    optimisers = build_optimisers(network, own.optimiser, own.learning_rate, own.weight_decay, own.momentum)
    if device.type == "meta":  # torch's fused Adam does not support the meta device
        for group in (group for optimiser in optimisers for group in optimiser.param_groups if group.get("fused")):
            group["fused"] = False
    for batch in maker.batches([np.arange(start, start + TEXTS) for start in (0, TEXTS)]):
        loss = cross_entropy(network(*batch.inputs), batch.classes)
        added = network.auxiliary_loss(batch.classes)
        (loss if added is None else loss + added).backward()
        if own.clip:
            nn.utils.clip_grad_norm_(network.parameters(), own.clip)
        for optimiser in optimisers:
            optimiser.step()
    with torch.no_grad():
        network.eval()(*maker(np.arange(TEXTS)).inputs)


def built(parameters: dict[str, Any], train: Split, vectors: WordVectors, device: str) -> Any:
    """Return a network before its first step."""
    return untrained_classifier(
        train,
        vectors,
        **{name: parameters[name] for name in ("model", "embedding", "training", "seed")},
        device=torch.device(device),
        precision="float32",
    )


def left_behind(parameters: dict[str, Any], train: Split, vectors: WordVectors) -> str:
    """Return the tensors that would be on another device than the network; empty if there are none."""
    moved = built(parameters, train, vectors, "meta")
    if stray := [name for name, tensor in moved.network.state_dict().items() if tensor.device.type != "meta"]:
        return f"stays on the CPU: {', '.join(stray)}"
    refused = refusal(moved, train, parameters["training"], torch.device("meta"))
    if refused and not any(each in refused for each in NO_NUMBERS):
        return refused
    here = built(parameters, train, vectors, "cpu")
    with torch.device("meta"):  # default device of new tensors
        return refusal(here, train, parameters["training"], torch.device("cpu"))


def refusal(classifier: Any, train: Split, training: dict[str, Any], device: torch.device) -> str:
    """Return what is refused in a step, and where; empty if nothing is."""
    try:
        step(classifier, train, training, device)
    except (RuntimeError, NotImplementedError, TypeError) as error:
        lines = [each for each in traceback.extract_tb(error.__traceback__) if is_ours(each.filename)]
        return f"{place(lines[-1]) if lines else 'torch'}: {str(error).splitlines()[0][:140]}"
    return ""


def waits(parameters: dict[str, Any], train: Split, vectors: WordVectors, folder: Path) -> Counter[str]:
    """Return where a GPU would be waited for in two steps and an evaluation; save and load the network too."""
    classifier = built(parameters, train, vectors, "cpu")
    with Waits() as found:
        step(classifier, train, parameters["training"], torch.device("cpu"))
    classifier.save(folder)
    sections = {name: parameters[name] for name in ("model", "embedding", "training", "device", "precision")}
    loaded = load_network(folder, train.facts, **sections)
    for name, tensor in classifier.network.state_dict().items():
        assert torch.equal(tensor, loaded.network.state_dict()[name]), name
    return found.found


@contextmanager
def samples() -> Iterator[Callable[[str], tuple[dict[str, Any], Split, WordVectors]]]:
    """Yield a function that returns a model's parameters, the texts that it reads, and its vectors."""
    with tempfile.TemporaryDirectory() as scratch:
        clean, tagged, vectors = (Path(scratch) / name for name in ("clean", "tagged", "vectors"))
        write_samples(clean, tagged, vectors)

        def given(model: str) -> tuple[dict[str, Any], Split, WordVectors]:
            parameters = parameters_of(model, {})
            corpus = parameters["corpus"]["name"]
            train = read_split(tagged / corpus, "train")
            train = replace(train, texts=read_texts(clean / corpus / "train.parquet", train.ids))
            named = parameters["embedding"]["vectors"] == VECTORS
            return parameters, train, read_vectors(vectors / VECTORS) if named else NO_VECTORS

        yield given


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fake_gpu", description=__doc__)
    parser.add_argument("models", nargs="*", default=sorted(MODELS), metavar="MODEL")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, samples() as given:
        for model in options.models:
            parameters, train, vectors = given(model)
            (folder := Path(scratch) / model).mkdir()
            found = waits(parameters, train, vectors, folder)
            refused = left_behind(parameters, train, vectors)
            lines = ", ".join(f"{count} x {where}" for where, count in found.most_common()) or "none"
            print(f"{model}: left behind: {refused or 'nothing'}; waits: {lines}", flush=True)


if __name__ == "__main__":
    main()
