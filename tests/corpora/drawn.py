"""The splits of a corpus as lists of texts."""

from collections.abc import Sequence

from retable.corpora import Example
from retable.text.clean.splitting import draw_splits
from retable.text.splits import SPLITS


def drawn_splits(examples: Sequence[Example], **options) -> dict[str, list[Example]]:
    """Return the texts of every split, in order."""
    places = draw_splits(examples, **options)
    return {
        split: [example for example, own in zip(examples, places, strict=True) if own == place]
        for place, split in enumerate(SPLITS)
    }
