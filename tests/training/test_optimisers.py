"""Optimisers: torch's arithmetic without torch's compiler, and AdaGrad on rows."""

import subprocess
import sys

import pytest
import torch
from torch import nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.training import optimisers
from retable.training.optimisers import Adagrad, build_optimisers

TORCHS = {
    "Adam": {"fused": True, "weight_decay": 0.1},
    "SGD": {"momentum": 0.9, "weight_decay": 0.1},
    "SparseAdam": {},
}  # fmt: skip
WHOLE_LIFE = """
import sys, torch
from torch import nn
from retable.training.optimisers import build_optimisers
for name in ("adam", "sgd", "adagrad"):
    network = nn.Sequential(nn.Embedding(9, 3, sparse=True), nn.Linear(3, 2))
    for optimiser in build_optimisers(network, name, 0.1, 0.1 if name != "adagrad" else 0.0, 0.0):
        for again in range(2):
            optimiser.zero_grad()
            network(torch.tensor([[1, 2]])).sum().backward()
            optimiser.step()
        optimiser.load_state_dict(optimiser.state_dict())
        optimiser.step()
print("compiler" if "torch._dynamo" in sys.modules else "none")
"""


def steps(optimiser_class, options, *, sparse):
    torch.manual_seed(0)
    network = nn.Embedding(9, 3, sparse=sparse)
    optimiser = optimiser_class(network.parameters(), lr=0.1, **options)
    for _ in range(4):
        optimiser.zero_grad()
        network(torch.randint(0, 9, (5,))).square().sum().backward()
        optimiser.step()
    state = optimiser.state_dict()
    optimiser.load_state_dict(state)
    network(torch.randint(0, 9, (5,))).square().sum().backward()
    optimiser.step()
    return network.weight.detach()


@pytest.mark.parametrize("name", TORCHS)
def test_steps_are_torchs_to_the_bit(name):
    ours, theirs = (
        steps(getattr(module, name), TORCHS[name], sparse=name == "SparseAdam") for module in (optimisers, torch.optim)
    )
    assert ours.equal(theirs)


def test_no_optimiser_brings_torchs_compiler():
    """It takes 1.5 s to import: if this fails, torch wraps or imports differently, and runs start later."""
    done = subprocess.run([sys.executable, "-c", WHOLE_LIFE], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "none"


def test_torch_does_not_wrap_our_steps():
    """Its profiler record takes up to 0.17 ms per step; if this fails, steps are slower but not wrong."""
    before = {kind: kind.step for kind in optimisers.WithoutCompiler.__subclasses__()}
    for kind, step in before.items():
        kind([nn.Parameter(torch.zeros(1))], lr=0.1)
        assert kind.step is step


@pytest.mark.parametrize("name", TORCHS)
def test_torchs_optimisers_have_no_methods_of_their_own_that_ours_would_hide(name):
    ours = vars(optimisers.WithoutCompiler)
    assert not [method for method in ours if not method.startswith("__") and method in vars(getattr(torch.optim, name))]


@pytest.mark.parametrize(("sparse", "decay"), [(False, 0.0), (False, 0.1), (True, 0.0)])
def test_adagrad_is_torchs(sparse, decay):
    ours, theirs = (steps(one, {"weight_decay": decay}, sparse=sparse) for one in (Adagrad, torch.optim.Adagrad))
    assert_close(ours, theirs, rtol=1e-6, atol=1e-7)


def test_adagrad_by_hand():
    """Gradients 3 and 4: the first step is the rate, the second 4 / 5 of it."""
    weight = nn.Parameter(tensor([1.0]))
    optimiser = Adagrad([weight], lr=0.1)
    for gradient, value in ((3.0, 0.9), (4.0, 0.82)):
        weight.grad = tensor([gradient])
        optimiser.step()
        assert_close(weight.detach(), tensor([value]))


def test_adagrad_leaves_rows_without_a_gradient_and_adds_up_rows_that_come_twice():
    table = nn.Parameter(torch.ones(4, 1))
    table.grad = torch.sparse_coo_tensor([[2, 0, 2]], [[1.0], [5.0], [1.0]], (4, 1))  # not coalesced
    optimiser = Adagrad([table], lr=0.5)
    optimiser.step()
    assert_close(table.detach(), tensor([[0.5], [1.0], [0.5], [1.0]]))
    assert_close(optimiser.state[table]["sum"], tensor([[25.0], [0.0], [4.0], [0.0]]))


def test_adagrad_takes_an_empty_gradient():
    table = nn.Parameter(torch.ones(4, 1))
    table.grad = torch.sparse_coo_tensor(torch.zeros(1, 0, dtype=torch.int64), torch.zeros(0, 1), (4, 1))
    Adagrad([table], lr=0.5).step()
    assert_close(table.detach(), torch.ones(4, 1))


def test_weight_decay_does_not_reach_sparse_tables():
    network = nn.Sequential(nn.Embedding(9, 3, sparse=True), nn.Linear(3, 2))
    (optimiser,) = build_optimisers(network, "adagrad", 0.1, 0.1)
    before = network[0].weight.detach().clone()
    network(tensor([[1, 2]])).sum().backward()
    optimiser.step()
    assert network[0].weight[3:].equal(before[3:])


def test_under_adagrad_weight_decay_reaches_weights_but_no_word_that_a_batch_lacks():
    network = nn.Sequential(WordEmbedding(torch.ones(9, 3), tuned=9), nn.Linear(3, 2))
    (optimiser,) = build_optimisers(network, "adagrad", 0.1, 0.1)
    words, weights = network[0].tuned.detach().clone(), network[1].weight.detach().clone()
    network(tensor([[1, 2]])).sum().mul(0.0).backward()
    optimiser.step()
    assert network[0].tuned.equal(words)  # a gradient of L2 alone would move each by a whole step, 0.1
    assert_close(network[1].weight, weights - 0.1 * weights.sign())
