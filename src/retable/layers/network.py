"""Define what every model is: a network that declares what it reads and how it is trained, built for a task."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding

Pass = Callable[[], Iterator[tuple[Tensor, ...]]]
Given = Literal["parts", "sentences", "sides", "domains"]


@dataclass(frozen=True)
class Task:
    """Say what a network is built for.

    `labels` name the classes, in the order of their indices. `domains` are the corpora of a joint corpus, empty for
    another. `parts` name the parts of speech of the training texts, the unknown one first; empty for a network that
    reads none. `language` is that of the texts. `label_rows` are, for each label, the rows of the embedding that hold
    the words of its name; empty where the vocabulary is not at hand.
    """

    labels: tuple[str, ...]
    domains: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    language: str = "en"
    label_rows: tuple[tuple[int, ...], ...] = ()

    @property
    def classes(self) -> int:
        """Return the number of classes."""
        return len(self.labels)

    @property
    def for_each_domain(self) -> "Task":
        """Return the task of answering for all domains at once: the classes of the first domain, then those of the
        second.
        """
        labels = tuple(f"{domain}/{label}" for domain in self.domains for label in self.labels)
        return replace(self, labels=labels, label_rows=self.label_rows * len(self.domains))


class Network(nn.Module):
    """A classifier of texts: `forward(words, mask, ...)` gives logits, float (text, class).

    `words` int64 (text, word) are rows of the embedding, `mask` bool (text, word) is False on padding, which stands on
    the right. A subclass takes `embedding` and `classes`, what else of the task it needs, and its options by name.

    Traits:
        reads: what `forward` takes after words and mask, in this order: parts (of speech), int64 (text, word);
            sentences, the number of each word's in its text, int64 (text, word); sides, those of a pair of texts, int64
            (text, word): `retable.layers.pairs` cuts a batch into the two; domains, int64 (text,).
        sparse_rows: gradients of the embedding hold the rows of the batch alone; they cannot be clipped.
        alphabet: the characters, lower case, that have a row each, one-hot and never trained; empty for a network
            whose rows are those of the training split and of given vectors.
        answers_for_domains: whether its classes may be those of several domains, of which each text's own count.
        domain_a_batch: whether a batch of the training holds texts of one domain alone.
    """

    reads: tuple[Given, ...] = ()
    sparse_rows: bool = False
    answers_for_domains: bool = True
    domain_a_batch: bool = False
    alphabet: str = ""

    @classmethod
    def build(cls, embedding: WordEmbedding, task: Task, options: Mapping[str, Any]) -> Self:
        """Return the network for a task. Raises: ValueError if an option is outside its range."""
        return cls(embedding, task.classes, **options)

    def pretrain(self, texts: Pass) -> None:
        """Learn from the training texts without their classes, before the first epoch; most networks do nothing.

        Args:
            texts: each call gives all of them once more, in batches of what `forward` takes, in another random order.
        """

    def auxiliary_loss(self, classes: Tensor) -> Tensor | None:
        """Return what training adds to the cross-entropy of the batch that `forward` has just seen, a scalar, or None.

        Args:
            classes: of the texts, int64 (text,).
        """
        return None

    def flops_per_word(self, words_per_text: float) -> float:
        """Return the floating-point operations of `forward` for a word of texts of this length, by formula."""
        raise NotImplementedError
