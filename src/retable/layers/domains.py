"""One network for several domains, with a classifier for each of them.

Source     multi-task learning with shared parameters and an output layer of its own for every task: Liu et al.,
           "Recurrent Neural Network for Text Classification with Multi-Task Learning", IJCAI 2016, section 3; FCSR's
           table 5 (docs/readings.md, "Tables 4 and 5").
Shapes     B texts, T words, C classes, K domains.
"""

import torch
from torch import Tensor, nn


class PerDomain(nn.Module):
    """A network whose last layer answers for all domains at once; of its answers a text's own domain's counts.

    Args:
        network: gives K C logits, those of the first domain first.
        domains: K.
    """

    def __init__(self, network: nn.Module, domains: int) -> None:
        super().__init__()
        self.network, self.domains = network, domains
        if hasattr(network, "auxiliary_loss"):
            self.auxiliary_loss = network.auxiliary_loss

    def forward(self, *inputs: Tensor) -> Tensor:
        """What the network reads, and at last the domain of each text, int64 (B,); to logits (B, C)."""
        *given, domains = inputs
        logits = self.network(*given).unflatten(1, (self.domains, -1))  # (B, K, C)
        own: Tensor = logits[torch.arange(len(domains), device=logits.device), domains]
        return own

    def flops_per_word(self, words_per_text: float) -> float:
        """Those of the network, which computes the answers of all domains."""
        flops: float = self.network.flops_per_word(words_per_text)  # type: ignore[operator]
        return flops
