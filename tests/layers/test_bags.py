"""Sums of a table's rows."""

import pytest
import torch
from torch import tensor
from torch.testing import assert_close

from retable.layers.bags import PADDING, sorted_rows, sum_of_rows

ROWS = tensor([[3, 1, 3, PADDING], [2, 3, PADDING, PADDING]])


def table(rows=6, dim=2, dtype=torch.float32):
    return torch.randn(rows, dim, dtype=dtype).requires_grad_()


def test_sums_by_hand():
    rows = tensor([[5.0], [1.0], [10.0], [100.0]])
    assert sum_of_rows(rows, ROWS, sparse=True).tolist() == [[201.0], [110.0]]


@pytest.mark.parametrize("sparse", [False, True])
def test_values_and_gradients_are_those_of_adding_one_row_after_the_other(sparse):
    torch.manual_seed(0)
    one = table(30, 5, torch.float64)
    other = one.detach().clone().requires_grad_()
    rows, weights = torch.randint(0, 30, (7, 9)), torch.randn(7, 5, dtype=torch.float64)
    sums = sum_of_rows(one, rows, sparse=sparse)
    slow = torch.stack([sum((other[row] for row in text if row), torch.zeros(5).double()) for text in rows])
    assert_close(sums, slow)
    (sums * weights).sum().backward()
    (slow * weights).sum().backward()
    assert one.grad.is_sparse == sparse
    assert_close(one.grad.to_dense() if sparse else one.grad, other.grad)


class Densified(torch.autograd.Function):
    """The identity, with a dense gradient: gradcheck accepts no other."""

    @staticmethod
    def forward(ctx, rows):
        return rows.view_as(rows)

    @staticmethod
    def backward(ctx, gradient):
        assert gradient.is_sparse
        return gradient.to_dense()


def test_the_sparse_gradient_by_differences():
    assert torch.autograd.gradcheck(
        lambda rows: sum_of_rows(Densified.apply(rows), ROWS, sparse=True), table(dtype=torch.float64)
    )


def test_the_gradient_has_the_rows_that_were_read_once_in_order_and_no_padding():
    rows = table()
    sum_of_rows(rows, ROWS, sparse=True).sum().backward()
    assert rows.grad._indices().tolist() == [[1, 2, 3]]
    assert_close(rows.grad._values(), tensor([[1.0, 1.0], [1.0, 1.0], [3.0, 3.0]]))


def test_texts_of_padding_alone_change_nothing():
    rows = table()
    sums = sum_of_rows(rows, torch.zeros(2, 3, dtype=torch.int64), sparse=True)
    sums.sum().backward()
    assert not sums.any()
    assert rows.grad._nnz() == 0


def test_rows_are_sorted_as_torch_sorts_them():
    rows = torch.cat([torch.randint(0, 50, (300,)), tensor([0, 2**31 - 1, 2**31 - 1])])
    for ours, theirs in zip(sorted_rows(rows), rows.sort(stable=True), strict=True):
        assert ours.equal(theirs)
