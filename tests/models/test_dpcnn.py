"""DPCNN, Johnson and Zhang 2017."""

import pytest
import torch
from torch import Tensor, nn, tensor
from torch.testing import assert_close

from retable.layers.embedding import WordEmbedding
from retable.models.dpcnn import DPCNN
from tests.models.test_every_model import with_random_weights


def small_network(**options) -> DPCNN:
    """Return the network in float64, with weights and biases large enough to matter, in evaluation mode."""
    torch.manual_seed(3)
    network = DPCNN(WordEmbedding(torch.randn(20, 4), tuned=20), 2, **({"maps": 3, "blocks": 4} | options))
    return with_random_weights(network, std=0.4).double()


def slow_convolution(convolution: nn.Conv1d, x: list[Tensor]) -> list[Tensor]:
    """Convolve at equal width: outside the text is zero."""
    width = convolution.kernel_size[0]
    nothing = torch.zeros_like(x[0])
    padded = [nothing] * (width // 2) + x + [nothing] * (width // 2)
    return [
        convolution.bias + sum(convolution.weight[:, :, k] @ padded[place + k] for k in range(width))
        for place in range(len(x))
    ]


def slow_block(block: nn.Module, x: list[Tensor]) -> list[Tensor]:
    """Compute z + f(z), position by position."""
    y = x
    for convolution in (block.first, block.second):
        y = slow_convolution(convolution, [vector.relu() for vector in y])
    return [one + other for one, other in zip(x, y, strict=True)]


def slow_logits(network: DPCNN, words: Tensor) -> tuple[Tensor, int]:
    """Return the logits of one unpadded text, and the number of its blocks."""
    x = slow_convolution(network.region, list(network.embedding(words.unsqueeze(0))[0]))
    x = slow_block(network.block(1), x)
    passed = 1
    while passed < network.depth and len(x) > 1:
        x = [*x, torch.zeros_like(x[0])]  # one zero at the end
        windows = [x[start : start + 3] for start in range(0, len(x) - 2, 2)]
        x = [torch.stack(window).amax(dim=0) for window in windows]
        passed += 1
        x = slow_block(network.block(passed), x)
    return network.output.weight @ torch.stack(x).amax(dim=0) + network.output.bias, passed


@pytest.mark.parametrize("options", [{}, {"shared": True, "blocks": 9}, {"region": 1, "blocks": 2}, {"region": 5}])
def test_fast_form_matches_the_slow_loops(options):
    """Check texts of every length to 17 in one batch, with arbitrary words in the padding.

    It fails without each of the masks: of words, of the region embedding, of a block's convolutions, of pooling.
    """
    network = small_network(**options)
    words, lengths = torch.randint(2, 20, (17, 19)), range(1, 18)
    logits = network(words, torch.arange(19) < tensor(lengths).unsqueeze(1))
    for text, length in enumerate(lengths):
        assert_close(logits[text], slow_logits(network, words[text, :length])[0], msg=f"{length} words")


def test_blocks_follow_the_length_of_a_text_alone():
    """n positions become n // 2: a block for 1 word, two for 2 and 3, three for 4 to 7, five for 16."""
    network = small_network(blocks=9)
    passed = {length: slow_logits(network, torch.randint(2, 20, (length,)))[1] for length in (1, 2, 3, 4, 7, 8, 16)}
    assert passed == {1: 1, 2: 2, 3: 2, 4: 3, 7: 3, 8: 4, 16: 5}


def by_hand(weight: float, bias: float, **options) -> DPCNN:
    """One map; words are the numbers 1, 5, -2 (rows 2 to 4); the region embedding copies them."""
    vectors = tensor([[0.0], [0.0], [1.0], [5.0], [-2.0]])
    network = DPCNN(WordEmbedding(vectors, tuned=0), 1, **({"maps": 1, "region": 1} | options)).eval()
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            parameter.fill_(bias if name.endswith("bias") else weight)
        for weights in (network.region.weight, network.output.weight):
            weights.fill_(1.0)
        for biases in (network.region.bias, network.output.bias):
            biases.zero_()
    return network


def test_block_by_hand():
    """1, 5, -2: relu 1, 5, 0; sums of three 6, 6, 5; again 12, 17, 11; with the shortcut 13, 22, 9."""
    network = by_hand(1.0, 0.0, blocks=1)
    x, real = tensor([[[1.0, 5.0, -2.0]]]), torch.ones(1, 1, 3, dtype=torch.bool)
    assert network.block(1)(x, real).tolist() == [[[13.0, 22.0, 9.0]]]
    assert network(tensor([[2, 3, 4]]), torch.ones(1, 3, dtype=torch.bool)).tolist() == [[22.0]]


def test_pooling_by_hand():
    """Blocks that add nothing: of -2, -2 the zero of the padding remains, of one -2 the word itself."""
    network = by_hand(0.0, 0.0, blocks=2)
    found = network(tensor([[4, 4], [4, 0]]), tensor([[True, True], [True, False]]))
    assert found.tolist() == [[0.0], [-2.0]]


def test_one_word_and_one_block_by_hand():
    """Word 5, weights 2, biases 1: the outer weights meet zeros: 5 -> 2 * 5 + 1 = 11 -> 2 * 11 + 1 = 23, and 5."""
    assert by_hand(2.0, 1.0, blocks=1)(tensor([[3]]), tensor([[True]])).tolist() == [[28.0]]
    assert by_hand(2.0, 1.0, blocks=7)(tensor([[3, 0, 0]]), tensor([[True, False, False]])).tolist() == [[28.0]]


def test_blocks_that_add_nothing_leave_the_maximum():
    """With weights 0 every positive word may be the one that remains after all pooling."""
    network = by_hand(0.0, 0.0)
    for place in range(9):
        words = torch.full((1, 9), 2)
        words[0, place] = 3
        assert network(words, torch.ones(1, 9, dtype=torch.bool)).item() == 5.0


def test_shared_blocks_are_one_pair_of_convolutions():
    assert len(small_network(shared=True, blocks=9).blocks) == 1
    network, single = small_network(blocks=3), small_network(shared=True, blocks=3)
    for block in network.blocks:
        block.load_state_dict(single.blocks[0].state_dict())
    for part in ("region", "output"):
        getattr(network, part).load_state_dict(getattr(single, part).state_dict())
    words, mask = torch.randint(2, 20, (2, 9)), torch.arange(9) < tensor([[9], [3]])
    assert_close(network(words, mask), single(words, mask))
