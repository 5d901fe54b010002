"""Base class of all models: a network that declares what it reads and how it is trained, built for a task."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, final

from torch import Tensor, nn

from retable.layers.embedding import WordEmbedding
from retable.layers.options import check_ranges

Pass = Callable[[], Iterator[tuple[Tensor, ...]]]
Given = Literal["parts", "sentences", "sides", "nodes", "domains"]


@dataclass(frozen=True)
class Task:
    """Hold what a network is built for.

    `labels` name the classes, in index order. `domains` are the corpora of a joint corpus, otherwise empty. `parts`
    name the parts of speech of the training texts, the unknown one first; empty for a network that reads none.
    `language` is the language of the texts. `label_rows` are, for each label, the embedding rows of the words in its
    name; empty if the vocabulary is not available.
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
        """Return the task of answering for all domains at once: the first domain's classes first."""
        labels = tuple(f"{domain}/{label}" for domain in self.domains for label in self.labels)
        return replace(self, labels=labels, label_rows=self.label_rows * len(self.domains))


class Network(nn.Module):
    """Text classifier: `forward(words, mask, ...)` returns logits, float (text, class).

    `words` int64 (text, word) are embedding rows, `mask` bool (text, word) is False on padding, which is on the right.
    A subclass takes `embedding`, what it `needs` of the task, and its options by name, whose ranges its signature
    declares (`retable.layers.options`).

    Traits:
        reads: inputs of `forward` after words and mask, in this order: parts (of speech), int64 (text, word);
            sentences, the number of each word's sentence in its text, int64 (text, word); sides of a pair of texts,
            int64 (text, word): `retable.layers.pairs` splits a batch into the two; nodes, the kind of each token of a
            tree (`retable.text.trees`), int64 (text, word); domains, int64 (text,).
        sparse_rows: gradients of the embedding hold only the rows of the batch; they cannot be clipped.
        alphabet: lower-case characters, each with a one-hot row that is never trained; empty for a network whose rows
            come from the training split and given vectors.
        answers_for_domains: whether its classes may cover several domains, of which only each text's own counts.
        domain_a_batch: whether every training batch holds texts of one domain only.
    """

    reads: tuple[Given, ...] = ()
    sparse_rows: bool = False
    answers_for_domains: bool = True
    domain_a_batch: bool = False
    alphabet: str = ""

    @final
    @classmethod
    def build(cls, embedding: WordEmbedding, task: Task, options: Mapping[str, Any]) -> Self:
        """Return the network for a task. Raises: ValueError if an option is outside its declared range."""
        check_ranges(cls, options)
        return cls(embedding, *cls.needs(task), **options)

    @classmethod
    def needs(cls, task: Task) -> tuple[object, ...]:
        """Return what the constructor takes from a task, between the embedding and the options."""
        return (task.classes,)

    @classmethod
    def reads_with(cls, options: Mapping[str, Any]) -> tuple[Given, ...]:
        """Return what a network with these options reads; a network whose options change it sets its own `reads`."""
        return cls.reads

    def pretrain(self, texts: Pass) -> None:
        """Learn from the training texts without their classes before the first epoch; most networks do nothing.

        Args:
            texts: each call yields all of them in a new random order, in batches of the inputs of `forward`.
        """

    def auxiliary_loss(self, classes: Tensor) -> Tensor | None:
        """Return a scalar that training adds to the cross-entropy of the last batch of `forward`, or None.

        Args:
            classes: classes of the texts, int64 (text,); of a graded corpus the nearest grades.
        """
        return None

    def flops_per_word(self, words_per_text: float) -> float:
        """Return the floating-point operations of `forward` per word in texts of this length, by formula."""
        raise NotImplementedError
