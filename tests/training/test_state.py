"""A training that is interrupted and resumed ends like an uninterrupted one, bit for bit."""

import dataclasses
import json
import math
import re
import resource
import signal
from functools import partial

import pytest
import torch
from torch import nn

from retable.layers.embedding import WordEmbedding
from retable.layers.network import Network
from retable.models.fasttext import FastText
from retable.project.stopping import Signals, Stopped
from retable.text.vocabulary import build_vocabulary, count_words, encode
from retable.training import state
from retable.training.course import Course
from retable.training.history import Epoch
from retable.training.options import SILENT
from retable.training.seeds import seed_everything
from retable.training.state import StateFile
from tests.training.fitting import fit

CPU = torch.device("cpu")


class Dropped(Network):
    """A mean of word vectors with dropout, so that random numbers matter."""

    def __init__(self, embedding, classes):
        super().__init__()
        self.embedding, self.dropout = embedding, nn.Dropout(0.3)
        self.output = nn.Linear(embedding.dim, classes)

    def forward(self, words, mask):
        x = self.dropout(self.embedding(words)) * mask.unsqueeze(2)
        return self.output(x.sum(1) / mask.sum(1, keepdim=True))


class Killed(Exception):
    """Simulate kill -9: nothing is saved at that moment."""


def train(opinions, optimiser="adam", *, file=None, on_batch=None, sparse=False, epochs=4):
    """Return the weights after training and the lines of the curve without seconds."""
    splits = opinions
    vocabulary = build_vocabulary(count_words(splits[0].tokens, lowercase=True), [], min_count=1, lowercase=True)
    seed_everything(5)
    embedding = WordEmbedding(torch.randn(len(vocabulary.words), 8), tuned=vocabulary.tuned, sparse=sparse)
    network = FastText(embedding, 2, buckets=50) if sparse else Dropped(embedding, 2)
    lines = []
    history = fit(
        network, *(encode(split, vocabulary) for split in splits), seed=1, device=CPU, optimiser=optimiser,
        learning_rate=0.05, momentum=0.9 if optimiser == "sgd" else 0.0, schedule="warmup", epochs=epochs, patience=4,
        batch_size=7, state=file, on_batch=on_batch or SILENT.on_batch, on_line=lines.append,
    )  # fmt: skip
    assert lines == [epoch.line for epoch in history.epochs]
    curve = [{key: value for key, value in line.items() if key != "seconds"} for line in lines]
    return [weight.detach().clone() for weight in network.parameters()], curve, history.chosen


def same(one, other):
    return all(map(torch.equal, one[0], other[0])) and one[1:] == other[1:]


def at_step(number, act):
    """Return a callback for every step that acts after the given one."""
    done = 0

    def on_batch(epoch, words):
        nonlocal done
        done += 1
        if done == number:
            act()

    return on_batch


def kill():
    raise Killed


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Return a function that makes state files saved after every step, with their messages."""
    monkeypatch.setattr(state, "LARGEST_SHARE", math.inf)
    messages = []

    def make(key="key", every_s=0.0):
        return StateFile(make.path, key, messages.append, every_s=every_s)

    make.told, make.path = messages, tmp_path / "kept/state"
    return make


# 60 texts in batches of 7 are 9 steps an epoch.
@pytest.mark.parametrize(
    ("optimiser", "sparse"), [("adam", False), ("sgd", False), ("adagrad", False), ("adagrad", True), ("adam", True)]
)
@pytest.mark.parametrize("step", [1, 9, 14, 18, 35])
def test_a_killed_training_goes_on_as_if_nothing_had_been(opinions, kept, optimiser, sparse, step):
    unbroken = train(opinions, optimiser, sparse=sparse)
    with pytest.raises(Killed):
        train(opinions, optimiser, sparse=sparse, file=kept(), on_batch=at_step(step, kill))
    assert same(train(opinions, optimiser, sparse=sparse, file=kept()), unbroken)
    if step > 1:  # the step at which it was killed was not saved, the one before was
        where = f"epoch {(step - 2) // 9 + 1}, step {(step - 2) % 9 + 1} of 9"
        assert kept.told[0].startswith("resumes at " + (where if step % 9 != 1 else f"the end of epoch {step // 9}"))


def test_a_network_pretrains_once_before_the_first_step(opinions, kept, monkeypatch):
    """It reads every training text in batches; a resumed training skips it, one killed before its end does not."""
    passes = []

    def pretrain(network, texts):
        passes.extend([[int(mask.sum()) for _, mask in texts()] for _ in range(2)])
        with torch.no_grad():
            network.output.bias += 1.0

    plain = train(opinions)
    monkeypatch.setattr(Dropped, "pretrain", pretrain)
    unbroken = train(opinions)
    assert not same(unbroken, plain)
    assert sum(passes[0]) == sum(passes[1]) == len(opinions[0].tokens.flatten())
    assert passes[0] != passes[1]  # another order
    for step, times in ((1, 2), (5, 1)):
        passes.clear()
        with pytest.raises(Killed):
            train(opinions, file=kept(), on_batch=at_step(step, kill))
        assert same(train(opinions, file=kept()), unbroken)
        assert len(passes) == 2 * times
        kept.path.unlink(missing_ok=True)


class Normalised(Dropped):
    """A network whose answers depend on a saved buffer of past batches; the mask of its words is not saved."""

    def __init__(self, embedding, classes):
        super().__init__(embedding, classes)
        self.norm = torch.nn.BatchNorm1d(classes)

    def forward(self, words, mask):
        return self.norm(super().forward(words, mask))


def test_the_means_of_a_batch_normalisation_go_on_and_are_those_of_the_best_epoch(opinions, kept, monkeypatch):
    networks, unwatched = [], fit

    def fitted(network, *splits, **options):
        networks.append(network)
        return unwatched(network, *splits, **options)

    monkeypatch.setitem(globals(), "Dropped", Normalised)
    monkeypatch.setitem(globals(), "fit", fitted)
    unbroken = train(opinions)
    with pytest.raises(Killed):
        train(opinions, file=kept(), on_batch=at_step(14, kill))
    assert same(train(opinions, file=kept()), unbroken)
    first, _, last = networks
    assert first.norm.running_mean.equal(last.norm.running_mean)
    assert first.norm.num_batches_tracked.equal(last.norm.num_batches_tracked)
    assert first.norm.num_batches_tracked == 9 * unbroken[2]  # 9 steps an epoch, up to the best


def test_what_pretraining_leaves_without_gradients_is_kept(opinions, kept, monkeypatch):
    """Frozen layers are buffers: a resumed training does not pretrain again, and has them."""

    class Frozen(Dropped):
        def __init__(self, embedding, classes):
            super().__init__(embedding, classes)
            self.register_buffer("frozen", torch.zeros(classes))

        def pretrain(self, texts):
            self.frozen += torch.tensor([1.0, -1.0])

        def forward(self, words, mask):
            return super().forward(words, mask) + self.frozen

    monkeypatch.setattr(f"{__name__}.Dropped", Frozen)
    unbroken = train(opinions)
    with pytest.raises(Killed):
        train(opinions, file=kept(), on_batch=at_step(5, kill))
    assert same(train(opinions, file=kept()), unbroken)


@pytest.fixture(autouse=True)
def ctrl_c_is_heard():
    """Enable Ctrl-C: a shell starts its background jobs with it ignored, and Python keeps it so."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_saves_at_the_end_of_the_step_and_says_how_to_go_on(opinions, kept, number):
    before = signal.getsignal(number)
    said = r"stopped at epoch 2, step 3 of 9; its state is saved, and the same command goes"
    with pytest.raises(Stopped, match=said) as caught:
        train(opinions, file=kept(every_s=1e9), on_batch=at_step(12, lambda: signal.raise_signal(number)))
    assert isinstance(caught.value, KeyboardInterrupt)
    assert caught.value.code == 128 + number
    assert signal.getsignal(number) is before
    assert same(train(opinions, file=kept()), train(opinions))


def test_a_signal_at_the_last_step_goes_on_behind_the_last_epoch(opinions, kept):
    steps = 9 * len(train(opinions)[1])
    with pytest.raises(Stopped):
        train(opinions, file=kept(), on_batch=at_step(steps, lambda: signal.raise_signal(signal.SIGINT)))
    assert same(train(opinions, file=kept()), train(opinions))


def test_a_signal_while_dev_is_answered_saves_before_its_end_and_the_epoch_is_not_trained_again(
    opinions, kept, monkeypatch
):
    answered, forward = [], Dropped.forward

    def at_the_second_batch_of_dev(network, words, mask):
        if not network.training:
            answered.append(len(words))
            if len(answered) == 2:
                signal.raise_signal(signal.SIGTERM)
        return forward(network, words, mask)

    monkeypatch.setattr("retable.training.predict.WORDS_IN_BATCH", 12)
    whole = train(opinions)
    monkeypatch.setattr(Dropped, "forward", at_the_second_batch_of_dev)
    with pytest.raises(Stopped, match="stopped at epoch 1, step 9 of 9; its state is saved"):
        train(opinions, file=kept(every_s=1e9))
    assert len(answered) == 2
    steps = []
    assert same(train(opinions, file=kept(), on_batch=lambda *_: steps.append(1)), whole)
    assert len(steps) == 9 * len(whole[1]) - 8  # the first epoch's nine are counted at once


def test_a_signal_ends_a_pretraining_at_its_next_batch(opinions, kept, monkeypatch):
    seen = []

    def pretrain(network, texts):
        for _ in texts():
            seen.append(1)
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(Dropped, "pretrain", pretrain)
    with pytest.raises(Stopped, match="stopped at the pretraining; its state was not saved"):
        train(opinions, file=kept())
    assert len(seen) == 1
    assert not kept().path.exists()


def test_the_second_signal_acts_at_once():
    with Signals() as signals:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)  # the same Ctrl-C, passed on
        assert signals.caught == signal.SIGINT
        signals.at -= 2
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        signals.caught = 0


def test_a_signal_that_no_step_saw_acts_at_the_end():
    with pytest.raises(KeyboardInterrupt), Signals():
        signal.raise_signal(signal.SIGINT)


def damage(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def made_by_other_torch(path):
    head, _, body = path.read_bytes().partition(b"\n")
    path.write_bytes(json.dumps(json.loads(head) | {"torch": "1.0"}).encode() + b"\n" + body)


Base = Dropped


class Wider(Base):
    """Has a weight more."""

    def __init__(self, embedding, classes):
        super().__init__(embedding, classes)
        self.more = nn.Parameter(torch.zeros(3))


class Double(Wider):
    """Has it in float64."""

    def __init__(self, embedding, classes):
        super().__init__(embedding, classes)
        self.more = nn.Parameter(torch.zeros(3, dtype=torch.float64))


class Turned(Wider):
    """Has the same weights in another order."""

    def __init__(self, embedding, classes):
        super().__init__(embedding, classes)
        output = self.output
        del self.output, self.embedding
        self.output, self.embedding = output, embedding


@dataclasses.dataclass(frozen=True)
class OtherEpoch(Epoch):
    """Has a score more."""

    dev_f1: float = 0.0


def a_part_more(state=Course.state):
    return lambda course: state(course) | {"more": 1}


# What a code change that keeps the recipe can leave under the same key: a place, and what is there instead.
OTHER_CODE = {
    "a weight less": (f"{__name__}.Wider", Base),
    "a weight in float64": (f"{__name__}.Wider", Double),
    "weights in another order": (f"{__name__}.Wider", Turned),
    "another optimiser": (f"{__name__}.OPTIMISER", "adagrad"),
    "another option of the optimiser": (f"{__name__}.fit", partial(fit, weight_decay=0.1)),
    "a part more": ("retable.training.course.Course.state", a_part_more()),
    "a score more": ("retable.training.course.Epoch", OtherEpoch),
}
OPTIMISER = "adam"


@pytest.mark.parametrize("kind", OTHER_CODE)
def test_a_state_of_another_form_is_told_and_training_starts_anew(opinions, kept, monkeypatch, kind):
    def trained(**options):
        with monkeypatch.context() as network:
            network.setattr(f"{__name__}.Dropped", Wider)
            return train(opinions, OPTIMISER, **options)

    with monkeypatch.context() as other:
        other.setattr(*OTHER_CODE[kind])
        with pytest.raises(Killed):
            trained(file=kept(), on_batch=at_step(12, kill))
    assert same(trained(file=kept()), trained())
    assert re.search(r"is of another form .*; training starts again\.$", kept.told[0])


def without_form(path):
    head, _, body = path.read_bytes().partition(b"\n")
    fields = {name: value for name, value in json.loads(head).items() if name != "form"}
    path.write_bytes(json.dumps(fields).encode() + b"\n" + body)


@pytest.mark.parametrize(
    ("change", "key", "why"),
    [
        (damage, "key", "is damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:-100]), "key", "is damaged"),
        (lambda path: path.write_bytes(b""), "key", "is damaged"),
        (lambda path: path.write_bytes(b"[1]\nx"), "key", "is damaged"),
        (made_by_other_torch, "key", r"was made by torch 1\.0, but this is"),
        (without_form, "key", "has weights of different shapes"),
        (lambda path: None, "other", "belongs to other code, data or parameters"),
    ],
)
def test_a_damaged_or_foreign_state_is_told_and_training_starts_anew(opinions, kept, change, key, why):
    with pytest.raises(Killed):
        train(opinions, file=kept(), on_batch=at_step(12, kill))
    change(kept.path)
    assert same(train(opinions, file=kept(key)), train(opinions))
    assert len(kept.told) == 1
    assert re.search(rf"{why}.*; training starts again\.$", kept.told[0])


def test_a_training_on_time_saves_nothing(opinions, kept):
    train(opinions, file=kept(every_s=1e9), epochs=1)
    assert not kept.path.exists()


def test_a_disk_that_refuses_is_told_and_training_goes_on(opinions, kept):
    kept.path.parent.write_text("a file where the folder should be")
    assert same(train(opinions, file=kept()), train(opinions))
    assert "cannot be read (Not a directory); training starts again" in kept.told[0]
    assert re.search(r"could not be saved in .* \((Not a directory|File exists)\); training goes on", kept.told[1])
    with pytest.raises(Stopped, match="its state was not saved"):
        train(opinions, file=kept(), on_batch=at_step(3, lambda: signal.raise_signal(signal.SIGINT)))
    assert "could not be saved" in kept.told[-1]


def test_a_full_disk_is_told_and_leaves_nothing(kept):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        assert not kept().write({"weights": [torch.ones(100_000)]}, "here")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert re.search(r"could not be saved in .*; training goes on", kept.told[0])
    assert not list(kept.path.parent.iterdir())


def test_slow_writes_are_fewer(kept, monkeypatch):
    monkeypatch.setattr(state, "LARGEST_SHARE", 0.01)
    file = kept(every_s=1.0)
    assert not file.due()
    now = iter([0.0, 0.5])
    monkeypatch.setattr("retable.training.state.time.monotonic", lambda: next(now))
    file.write({}, "here")
    assert file.wait_s == pytest.approx(50.0)  # half a second is a hundredth of it


def test_seconds_of_all_parts_are_counted(opinions, kept):
    first = kept()
    first.start -= 100
    with pytest.raises(Killed):
        train(opinions, file=first, on_batch=at_step(12, kill))
    second = kept()
    train(opinions, file=second)
    assert 100 <= second.earlier_s < 160


def test_a_state_holds_no_code(kept):
    file = kept()
    file.write({"weights": [torch.ones(2)], "harm": kill}, "here")
    assert kept().read() is None  # its code was not run: this process still runs
