"""Feature maps over the places of texts, where padding is no place: their batch norm, and their k largest values.

Shapes     B texts, K maps, n places (padded on the right).
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class TextNorm(nn.BatchNorm1d):
    """Batch norm over the places of texts; zero after them."""

    def forward(self, x: Tensor, real: Tensor) -> Tensor:  # type: ignore[override]
        """Normalise maps (B, K, n) where `real` (B, n) is True."""
        rows = real.flatten().nonzero().squeeze(1)
        all_places = x.transpose(1, 2).flatten(0, 1)  # (B n, K)
        places = all_places.index_select(0, rows)
        of_batch = self.training and len(rows) > 1  # one place has no variance
        means, variances = self.running_mean, self.running_var
        normed = F.batch_norm(
            places, means, variances, self.weight, self.bias, of_batch, self.momentum or 0.0, self.eps
        )
        return torch.zeros_like(all_places).index_copy(0, rows, normed).view(len(x), -1, x.shape[1]).transpose(1, 2)


def k_largest(x: Tensor, real: Tensor, k: Tensor, most: int) -> Tensor:
    """Return the k largest values of each map in their original order, then zeros.

    Args:
        x: maps (B, K, n).
        real: the places that count, bool (B, n).
        k: how many values per text, int64 (B,), at most its number of places and `most`.
    Returns: (B, K, most).
    """
    order = x.masked_fill(~real.unsqueeze(1), -torch.inf).sort(dim=2, descending=True, stable=True).indices
    ranks = torch.arange(min(most, x.shape[2]), device=x.device)
    places = order[:, :, : len(ranks)].masked_fill(ranks >= k[:, None, None], x.shape[2]).sort(dim=2).values
    chosen = F.pad(x, (0, 1)).gather(2, places)  # the place after the last holds a zero
    return F.pad(chosen, (0, most - len(ranks)))
