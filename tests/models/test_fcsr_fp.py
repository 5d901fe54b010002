"""FCSR with feature projection: FP-Net (Qin et al., 2020) around FCSR's equations."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.fcsr import FCSR
from retable.models.fcsr_fp import FCSRFP, without_component
from tests.models.test_every_model import with_random_weights

WORDS, CLASSES = tensor([[3, 4, 5, 6], [7, 8, 0, 0], [9, 3, 9, 0]]), tensor([0, 1, 1])
MASK = WORDS != 0


def small_network(**options) -> FCSRFP:
    """Return a network in float64 with weights and biases large enough to matter, without dropout, in training mode."""
    torch.manual_seed(5)
    network = FCSRFP(WordEmbedding(torch.randn(12, 3), tuned=12), 2, dropout=0.0, **options)
    return with_random_weights(network.double(), std=0.7).train()


def plain(network: FCSRFP, *, common: bool = False) -> FCSR:
    """Return an FCSR with the weights of the P-net, or of the C-net."""
    twin = FCSR(network.embedding, 2, dropout=0.0).double()
    twin.representation = network.common if common else network.representation
    twin.output = network.common_output if common else network.output
    return twin


def text_vectors(network: FCSR) -> Tensor:
    """Return r of the three texts, (3, n)."""
    contexts, real = network.contexts_of_words(WORDS, MASK)
    return network.representation(contexts, real, MASK.shape)


def plain_loss(twin: FCSR) -> Tensor:
    """Return the cross-entropy of the C-net without reversal, text by text."""
    losses = []
    for r, label in zip(text_vectors(twin), CLASSES, strict=True):
        direction = r / (r @ r).sqrt() * 3**0.5  # n = 3
        losses.append(-torch.log_softmax(twin.output.weight @ direction + twin.output.bias, dim=0)[label])
    return sum(losses) / 3


def gradients(loss: Tensor, network: nn.Module) -> dict[str, Tensor | None]:
    names, parameters = zip(*network.named_parameters(), strict=True)
    return dict(zip(names, torch.autograd.grad(loss, parameters, allow_unused=True), strict=True))


def test_projection_by_hand():  # (3, 4) along (2, 0) is (3, 0); along (1, 1) it is (3.5, 3.5)
    x = tensor([[3.0, 4.0], [3.0, 4.0], [3.0, 4.0]])
    along = tensor([[2.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    assert_close(without_component(x, along), tensor([[0.0, 4.0], [-0.5, 0.5], [3.0, 4.0]]))


def test_what_is_left_is_orthogonal_and_its_second_projection_changes_nothing():
    torch.manual_seed(0)
    x, along = torch.randn(2, 50, 7, dtype=torch.float64)
    rest = without_component(x, along)
    assert_close((rest * along).sum(dim=1), torch.zeros(50, dtype=torch.float64))
    assert_close(without_component(rest, along), rest)
    assert_close(without_component(x, -3 * along), rest, msg="neither length nor sign of the common features count")
    second = (x * rest).sum(dim=1, keepdim=True) / rest.square().sum(dim=1, keepdim=True) * rest  # Qin's Proj
    assert_close(second, rest)


def test_gradients_of_the_projection():
    torch.manual_seed(0)
    x, along = torch.randn(2, 4, 3, dtype=torch.float64)
    assert torch.autograd.gradcheck(without_component, (x.requires_grad_(), along.requires_grad_()))
    zero = torch.zeros(4, 3, dtype=torch.float64, requires_grad=True)
    without_component(x, zero).sum().backward()
    assert zero.grad.isfinite().all()


def test_logits_are_those_of_what_the_second_network_leaves():
    network = small_network()
    own, common = (text_vectors(plain(network, common=of_common)) for of_common in (False, True))
    rest = torch.stack([r - (r @ c) / (c @ c) * c for r, c in zip(own, common, strict=True)])
    expected = rest @ network.output.weight.T + network.output.bias
    assert_close(network(WORDS, MASK), expected)
    assert_close(network.eval()(WORDS, MASK), expected)


def test_the_second_loss_is_the_cross_entropy_of_the_second_network():
    network = small_network()
    network(WORDS, MASK)
    assert_close(network.auxiliary_loss(CLASSES), plain_loss(plain(network, common=True)))


def test_the_second_network_cannot_raise_its_loss_by_growing():
    network = small_network()
    before, logits = plain_loss(plain(network, common=True)), network(WORDS, MASK)
    with torch.no_grad():
        network.common.attention.selection.weight *= 1e6
    assert_close(network(WORDS, MASK), logits)
    assert_close(network.auxiliary_loss(CLASSES), before)


@pytest.mark.parametrize("strength", [0.3, 1.0])
def test_the_second_network_climbs_what_its_classifier_descends(strength):
    network = small_network(reversal=strength)
    network(WORDS, MASK)
    found = gradients(network.auxiliary_loss(CLASSES), network)
    twin = plain(network, common=True)
    expected = gradients(plain_loss(twin), twin)
    for name in ("weight", "bias"):
        assert_close(found[f"common_output.{name}"], expected[f"output.{name}"])
    for name, gradient in expected.items():
        if name.startswith("representation"):
            assert_close(found[name.replace("representation", "common")], -strength * gradient)
    assert_close(found["embedding.tuned"], -strength * expected["embedding.tuned"])
    assert not any(found[name] is not None for name in found if name.startswith(("representation", "output")))


@pytest.mark.parametrize("separate", [True, False])
def test_the_first_loss_reaches_the_second_network_only_where_asked(separate):
    network = small_network(separate=separate)
    found = gradients(F.cross_entropy(network(WORDS, MASK), CLASSES), network)
    of_common = [gradient for name, gradient in found.items() if name.startswith("common.")]
    assert all((gradient is None) == separate for gradient in of_common)
    assert all(found[name] is None for name in found if name.startswith("common_output"))
    assert all(found[name].any() for name in found if name.startswith(("representation", "output", "embedding")))


def test_a_silent_second_network_leaves_fcsr():
    """Zero weights of the C-net make its Gram matrix, and so its features, zero."""
    network = small_network()
    for parameter in network.common.parameters():
        nn.init.zeros_(parameter)
    assert_close(network(WORDS, MASK), plain(network)(WORDS, MASK))


def test_equal_networks_leave_the_bias():
    network = small_network()
    network.common.load_state_dict(network.representation.state_dict())
    assert_close(network(WORDS, MASK), network.output.bias.expand(3, 2))


def test_nothing_of_a_batch_is_kept_after_its_loss_nor_in_evaluation():
    network = small_network()
    network(WORDS, MASK)
    network.auxiliary_loss(CLASSES)
    assert network.common_logits is None
    network.eval()(WORDS, MASK)
    assert network.common_logits is None


def test_a_window_reaches_both_networks():
    near, whole = small_network(window=3), small_network()
    near(WORDS, MASK), whole(WORDS, MASK)
    assert not torch.allclose(near.common_logits[0], whole.common_logits[0])
    assert_close(near.common_logits[1], whole.common_logits[1], msg="two words see each other")
