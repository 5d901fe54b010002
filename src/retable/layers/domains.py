"""One network for several domains, with a classifier for each of them.

Source     multi-task learning with shared parameters and a separate output layer for every task: Liu et al.,
           "Recurrent Neural Network for Text Classification with Multi-Task Learning", IJCAI 2016, section 3; FCSR's
           table 5 (docs/readings.md, "Tables 4 and 5").
Shapes     B texts, T words, C classes, K domains.
"""

import torch
from torch import Tensor

from retable.layers.network import Network, Pass


class PerDomain(Network):
    """A network whose last layer answers for all domains; only the answer for a text's own domain counts.

    Args:
        network: gives K C logits, the first domain's first (`Task.for_each_domain`).
        domains: number of domains, K.
    """

    def __init__(self, network: Network, domains: int) -> None:
        super().__init__()
        self.network, self.domains = network, domains
        self.reads = (*network.reads, "domains")

    def forward(self, *inputs: Tensor) -> Tensor:
        """Map the network's inputs, followed by the domain of each text, int64 (B,), to logits (B, C)."""
        *given, domains = inputs
        logits = self.network(*given).unflatten(1, (self.domains, -1))  # (B, K, C)
        own: Tensor = logits[torch.arange(len(domains), device=logits.device), domains]
        return own

    def pretrain(self, texts: Pass) -> None:
        """Pretrain the network, which does not see the domains."""
        self.network.pretrain(lambda: (given[:-1] for given in texts()))

    def auxiliary_loss(self, classes: Tensor) -> Tensor | None:
        """Return the network's auxiliary loss."""
        return self.network.auxiliary_loss(classes)

    def flops_per_word(self, words_per_text: float) -> float:
        """Return the FLOPs of the network, which computes the answers for all domains."""
        return self.network.flops_per_word(words_per_text)


def texts_of_each(domains: Tensor) -> dict[int, Tensor]:
    """Return the texts of each domain in a batch, bool (B,)."""
    return {domain: domains == domain for domain in domains.unique().tolist()}
