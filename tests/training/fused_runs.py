"""Random texts and networks for the tests of fused training."""

import numpy as np
import torch
import torch.nn.functional as F

from retable.layers.domains import PerDomain
from retable.layers.embedding import WordEmbedding
from retable.models import network_class
from retable.text.vocabulary import Encoded
from retable.training.batches import BatchMaker
from retable.training.fit import fit
from retable.training.fused.fit import fit_fused
from retable.training.fused.masks import own_generator
from retable.training.fused.runs import Run
from retable.training.network import reads_parts
from tests.models.test_every_model import CLASSES, DIM, PARTS

CPU = torch.device("cpu")
OPTIONS = {"learning_rate": 0.02, "epochs": 2, "batch_size": 5, "patience": 9}


def random_texts(generator, count, words, *, longest=9, parts=0, domains=0):
    """Texts in row numbers, of one to `longest` words; the first word tells the class, more or less."""
    lengths = generator.integers(1, longest + 1, size=count)
    offsets = lengths.cumsum()
    flat = generator.integers(1, words, size=offsets[-1], dtype="int32")
    starts = offsets - lengths
    return Encoded(
        flat,
        np.concatenate([[0], offsets]),
        flat[starts].astype("int64") % CLASSES,
        generator.integers(0, parts, size=len(flat), dtype="int32") if parts else None,
        generator.integers(0, domains, size=count) if domains else None,
    )


def network_of(case, seed, *, words=30, tuned=24, parts=PARTS, domains=0):
    """The case's network from a seed, in the default type."""
    torch.manual_seed(seed)
    embedding = WordEmbedding(torch.randn(words, DIM), tuned=tuned)
    more = [parts] if reads_parts(case.model) else []
    network = network_class(case.model)(embedding, CLASSES * (domains or 1), *more, **case.options)
    return (PerDomain(network, domains) if domains else network).to(torch.get_default_dtype())


def fused(asked, **options):
    """Histories and networks of runs (make, train, dev, seed) that are trained together; `make` gives the network."""
    told = {name: options.pop(name) for name in ("on_batch", "on_epoch", "state") if name in options}
    runs = []
    for make, train, dev, seed in asked:
        network = make()
        runs.append(Run.of(network, train, dev, seed, own_generator(CPU)))
    torch.manual_seed(999)  # what torch's own generator does now is nobody's business
    histories = fit_fused(runs, device=CPU, **{**OPTIONS, **options}, **told)
    return histories, [run.network for run in runs]


def alone(asked, **options):
    """The same, one after the other."""
    histories, networks = [], []
    for make, train, dev, seed in asked:
        networks.append(make())
        histories.append(fit(networks[-1], train, dev, seed=seed, device=CPU, **{**OPTIONS, **options}))
    return histories, networks


def differences(one, other, train):
    """How far apart two ways of training the same runs end; accuracies and choices are equal.

    Returns: the largest differences of the final training loss, taken anew in float64, of the losses in the curves,
    which are sums in float32, and of the weights.
    """
    losses, curves, weights = [], [], []
    for left, right in zip(one[0], other[0], strict=True):
        assert left.chosen == right.chosen
        assert len(left.epochs) == len(right.epochs)
        for mine, theirs in zip(left.epochs, right.epochs, strict=True):
            assert mine.epoch == theirs.epoch
            assert (mine.train_accuracy, mine.dev_accuracy) == (theirs.train_accuracy, theirs.dev_accuracy)
            assert abs(mine.learning_rate - theirs.learning_rate) < 1e-15
            curves += [abs(mine.train_loss - theirs.train_loss), abs(mine.dev_loss - theirs.dev_loss)]
    for left, right, texts in zip(one[1], other[1], train, strict=True):
        losses.append(abs(loss_on(left, texts) - loss_on(right, texts)))
        found = dict(right.named_parameters())
        weights += [float((weight - found[name]).detach().abs().max()) for name, weight in left.named_parameters()]
    return max(losses), max(curves), max(weights)


@torch.no_grad()
def loss_on(network, texts):
    """The mean cross-entropy of a network on some texts, in its own type."""
    batch = BatchMaker(texts, CPU, per_domain=isinstance(network, PerDomain))(np.arange(len(texts)))
    return float(F.cross_entropy(network.eval()(*batch.inputs), batch.classes))


def assert_equal(asked, tolerance=1e-9, **options):
    """Runs end fused as they do alone: losses and weights to the tolerance, curves, summed in float32, to 1e-6."""
    losses, curves, weights = differences(fused(asked, **options), alone(asked, **options), [each[1] for each in asked])
    assert max(losses, weights) < tolerance, f"losses {losses}, weights {weights}"
    assert curves < 1e-6
