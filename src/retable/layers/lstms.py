"""Many LSTMs of one size that read the same texts: one product per word for all of them.

Equations  torch's, for each LSTM: i, f, o = sigmoid(W x + U h + b), g = tanh(W x + U h + b), c = f c + i g,
           h = o tanh(c), from zero states.
Method     the texts are packed, longest first, so that word t is a block of rows of those that still go on. The
           backward pass is written out: what it needs from the forward pass alone is computed for all words at once,
           so that six operations per word are left.
Shapes     M LSTMs, B texts, T words (padded on the right), N words without padding, D vector size, H states.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

Weights = tuple[Tensor, Tensor, Tensor]  # W (M, 4 H, D), U (M, 4 H, H), b (M, 4 H), rows in the order i, f, o, g


def last_states_of_each(lstms: Sequence[nn.LSTM], words: Tensor, mask: Tensor) -> Tensor:
    """Return the states of every LSTM at the last words of the texts, (M, B, H).

    Args:
        lstms: of one size, with one layer and direction, built with batch_first=True.
        words: word vectors, float, (B, T, D).
        mask: True on a word, False on padding, bool, (B, T); padding on the right, at least one word per text.
    """
    lengths = mask.sum(dim=1).cpu()
    packed = pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
    going_on: list[int] = packed.batch_sizes.tolist()
    states: Tensor = _Recurrence.apply(packed.data, *stacked(lstms), going_on)
    first_rows = packed.batch_sizes.cumsum(0) - packed.batch_sizes
    assert packed.unsorted_indices is not None
    return states[:, first_rows[lengths - 1].to(words.device) + packed.unsorted_indices]


def stacked(lstms: Sequence[nn.LSTM]) -> Weights:
    """Return the weights of LSTMs side by side; gradients reach each of them."""
    w, u, b_x, b_h = (
        sigmoids_first(torch.stack([getattr(lstm, f"{name}_l0") for lstm in lstms]))
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    return w, u, b_x + b_h


def sigmoids_first(weights: Tensor) -> Tensor:
    """Return torch's rows i, f, g, o, (M, 4 H, ...), in the order i, f, o, g: sigmoids first."""
    i, f, g, o = weights.chunk(4, dim=1)
    return torch.cat((i, f, o, g), dim=1)


class _Recurrence(torch.autograd.Function):
    """Map packed words (N, D) and the weights of M LSTMs to their states at every word, (M, N, H).

    `going_on` is the number of texts that have a word t, for each t.
    """

    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float32)  # type: ignore[untyped-decorator]
    def forward(ctx: Any, x: Tensor, w: Tensor, u: Tensor, b: Tensor, going_on: list[int]) -> Tensor:
        hidden = u.shape[2]
        gates = torch.matmul(x, w.mT).add_(b.unsqueeze(1))  # (M, N, 4 H), of all words at once
        cells, states = (gates.new_empty(*gates.shape[:2], hidden) for _ in range(2))
        u_t = u.mT
        of_word = zip(
            *(part.split(going_on, dim=1) for part in (gates, gates[..., : 3 * hidden], *gates.chunk(4, dim=2))),
            *(part.split(going_on, dim=1) for part in (cells, states)),
            strict=True,
        )
        h = c = gates.new_zeros(len(u), going_on[0], hidden)
        for n, (all_four, three, i, f, o, g, c_t, h_t) in zip(going_on, of_word, strict=True):
            all_four.baddbmm_(h[:, :n], u_t)
            three.sigmoid_()
            g.tanh_()
            torch.mul(f, c[:, :n], out=c_t)
            c_t.addcmul_(i, g)
            torch.tanh(c_t, out=h_t)
            h_t.mul_(o)
            h, c = h_t, c_t
        ctx.save_for_backward(x, w, u, gates, cells, states)
        ctx.going_on = going_on
        return states

    @staticmethod
    @torch.amp.custom_bwd(device_type="cuda")  # type: ignore[untyped-decorator]
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, Tensor, Tensor, Tensor, None]:
        x, w, u, gates, cells, states = ctx.saved_tensors
        going_on, texts, hidden = ctx.going_on, ctx.going_on[0], u.shape[2]
        before = rows_before(going_on, x.device)  # of every word but the first: its text's former word
        i, f, o, g = gates.chunk(4, dim=2)
        tanh_c = cells.tanh()
        into_c = (1 - tanh_c.square()).mul_(o)  # dc/dh
        into_gates = torch.empty_like(gates)  # d gate / dc for i, f, g and d gate / dh for o; then the gradients
        for_i, for_f, for_o, for_g = into_gates.chunk(4, dim=2)
        torch.mul(g, i * (1 - i), out=for_i)
        for_f[:, :texts] = 0  # the first cells are zero
        torch.mul(cells[:, before], (f * (1 - f))[:, texts:], out=for_f[:, texts:])
        torch.mul(tanh_c, o * (1 - o), out=for_o)
        torch.mul(i, 1 - g.square(), out=for_g)
        of_states = gradients[0].clone()
        of_cell = gates.new_zeros(len(u), texts, hidden)
        parts = (
            of_states,
            into_c,
            into_gates,
            into_gates[..., : 2 * hidden].unflatten(2, (2, hidden)),
            for_o,
            for_g,
            f,
        )
        after: Tensor | None = None
        for n, (h, to_c, all_four, two, o_t, g_t, f_t) in reversed(
            list(zip(going_on, zip(*(part.split(going_on, dim=1) for part in parts), strict=True), strict=True))
        ):
            if after is not None:
                h[:, : after.shape[1]].baddbmm_(after, u)
            c = of_cell[:, :n].addcmul_(h, to_c)
            two.mul_(c.unsqueeze(2))
            g_t.mul_(c)
            o_t.mul_(h)
            c.mul_(f_t)
            after = all_four
        of_u = torch.bmm(into_gates[:, texts:].mT, states[:, before])
        of_w = torch.matmul(into_gates.mT, x)
        of_x = torch.matmul(into_gates, w).sum(dim=0) if ctx.needs_input_grad[0] else None
        return of_x, of_w, of_u, into_gates.sum(dim=1), None


def rows_before(going_on: Sequence[int], device: torch.device) -> Tensor:
    """Return, for each row of packed texts from the second word on, the row of its text's former word, int64."""
    sizes = torch.tensor(going_on)
    return (torch.arange(going_on[0], int(sizes.sum())) - torch.repeat_interleave(sizes[:-1], sizes[1:])).to(device)
