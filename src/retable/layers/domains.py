"""One network for several domains, with a classifier for each of them.

Source     multi-task learning with shared parameters and an output layer of its own for every task: Liu et al.,
           "Recurrent Neural Network for Text Classification with Multi-Task Learning", IJCAI 2016, section 3; FCSR's
           table 5 (docs/readings.md, "Tables 4 and 5").
Shapes     B texts, T words, C classes, K domains.
"""

import torch
from torch import Tensor

from retable.layers.network import Network, Pass


class PerDomain(Network):
    """A network whose last layer answers for all domains at once; of its answers a text's own domain's counts.

    Args:
        network: gives K C logits, those of the first domain first (`Task.for_each_domain`).
        domains: K.
    """

    def __init__(self, network: Network, domains: int) -> None:
        super().__init__()
        self.network, self.domains = network, domains
        self.reads = (*network.reads, "domains")

    def forward(self, *inputs: Tensor) -> Tensor:
        """Map what the network reads, and at last the domain of each text, int64 (B,); to logits (B, C)."""
        *given, domains = inputs
        logits = self.network(*given).unflatten(1, (self.domains, -1))  # (B, K, C)
        own: Tensor = logits[torch.arange(len(domains), device=logits.device), domains]
        return own

    def pretrain(self, texts: Pass) -> None:
        """Let the network learn; it is not told the domains."""
        self.network.pretrain(lambda: (given[:-1] for given in texts()))

    def auxiliary_loss(self, classes: Tensor) -> Tensor | None:
        """Return the network's."""
        return self.network.auxiliary_loss(classes)

    def flops_per_word(self, words_per_text: float) -> float:
        """Return the multiply-adds of the network, which computes the answers of all domains."""
        return self.network.flops_per_word(words_per_text)
