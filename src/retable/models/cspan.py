"""CSPAN: self-attention over word vectors, a BiLSTM over its output, their sum, and attention by several queries.

Source     Jiang et al., "Cascaded Semantic and Positional Self-Attention Network for Document Classification", Findings
           of EMNLP 2020, eq. 1-15; docs/readings.md, "CSPAN". Eq. 4, 8 and Shaw's relative positions are in
           layers/self_attention.py, eq. 10-13 in layers/multi_query.py, eq. 1-2 in layers/positions.py.
Fusion     table 5's schemes keep the first block's attention and the last block, and differ in where word order enters:
           nowhere (embeddings, a), in the word vectors (positions, b, "a light-weight transformer"), in the attention
           (relative, c), from a second block that reads the word vectors (parallel, d) or the first block's output
           (cascade, e: CSPAN).
Reading    positions are added to unscaled word vectors (eq. 1-3). Relative vectors enter both scores and values, k =
           16, as in Shaw's base model. With `first_attention`, `second_attention` and `residual` all off and `pool`
           mean, the network is the plain BiLSTM of table 3.
Decision   no dropout: the paper describes its training down to the weight decay and names none. First weights: torch's
           own (the paper's framework), for the queries too, which start "randomly"; relative vectors Xavier uniform.
Training   the printed weight decay is part of the gradient, which Adam normalises: a word vector without any other
           gradient loses nine tenths of its length in 300 steps at 1e-3 (tests/models/test_cspan.py). So the vectors of
           rare words fade if words are trained; the paper does not say whether they are.
Shapes     B texts, T words (padded on the right), d vector size, m queries, k clipping distance, C classes.
"""

from typing import Literal

from torch import Tensor, nn

from retable.layers.attention import padding_bias
from retable.layers.embedding import WordEmbedding
from retable.layers.encoder import max_over_words, mean_over_words
from retable.layers.multi_query import MultiQueryAttention
from retable.layers.network import Network
from retable.layers.options import Count, Share
from retable.layers.positions import sinusoidal_positions
from retable.layers.recurrent import states_of_words
from retable.layers.self_attention import RelativeSelfAttention, SelfAttention

Fusion = Literal["cascade", "parallel", "embeddings", "positions", "relative"]
Pool = Literal["queries", "mean", "max"]


class CSPAN(Network):
    """Cascaded semantic and positional self-attention network.

    Args:
        embedding: the word vectors D, of an even size d: each direction of the BiLSTM has d / 2 states.
        classes: number of classes.
        layers: number of layers of the BiLSTM.
        queries: queries of the last attention, m.
        fusion: how word order enters (table 5): cascade, parallel, embeddings, positions, relative. Without a BiLSTM
            (the last three) `layers`, `second_attention` and `residual` have no effect.
        first_attention: self-attention over the word vectors (eq. 4); if False, they are used directly.
        second_attention: self-attention over the states of the BiLSTM (eq. 8); if False, they are used directly.
        residual: whether the first block's output is added to the second's (eq. 9).
        pool: how the words become one vector: queries (eq. 10-13), mean, max.
        distance: k, in words, at which relative positions are clipped; no effect unless `fusion` is relative.
        dropout: share of the word vectors' and of the text vector's components that are dropped in training, in [0, 1).
    Raises: ValueError if two options do not fit each other.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        classes: int,
        *,
        layers: Count = 1,
        queries: Count = 16,
        fusion: Fusion = "cascade",
        first_attention: bool = True,
        second_attention: bool = True,
        residual: bool = True,
        pool: Pool = "queries",
        distance: Count = 16,
        dropout: Share = 0.0,
    ) -> None:
        super().__init__()
        check_parts_fit(fusion, first_attention, residual)
        size = embedding.dim
        if size % 2:
            raise ValueError(f"size is {size} in the word vectors; allowed: even numbers (half for each direction)")
        self.embedding, self.fusion, self.residual, self.pool = embedding, fusion, residual, pool
        self.semantic = build_first_attention(size, fusion, distance) if first_attention else None
        has_order = fusion in ("cascade", "parallel")
        self.bilstm = (
            nn.LSTM(size, size // 2, num_layers=layers, batch_first=True, bidirectional=True) if has_order else None
        )
        self.positional = SelfAttention(size) if has_order and second_attention else None
        self.multi_query = MultiQueryAttention(size, queries) if pool == "queries" else None
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(size, classes)  # W^o, b^o

    def forward(self, words: Tensor, mask: Tensor) -> Tensor:
        """Map words (B, T) and their mask to logits (B, C)."""
        x = self.dropout(self.embedding(words))  # D, (B, T, d)
        if self.fusion == "positions":
            x = x + sinusoidal_positions(x.shape[1], x.shape[2], x.device).to(x.dtype)
        bias = padding_bias(mask)
        s = self.semantic(x, bias) if self.semantic else x  # S, eq. 4
        f = s if self.bilstm is None else self.with_order(self.bilstm, x, s, mask, bias)
        logits: Tensor = self.output(self.dropout(self.text_vector(f, mask)))  # eq. 15, (B, C)
        return logits

    def with_order(self, bilstm: nn.LSTM, x: Tensor, s: Tensor, mask: Tensor, bias: Tensor) -> Tensor:
        """Map word vectors x and the first block's output s to the second block's F^sp, all (B, T, d)."""
        h = states_of_words(bilstm, x if self.fusion == "parallel" else s, mask)  # H, eq. 5-7
        p = self.positional(h, bias) if self.positional else h  # P, eq. 8
        return s + p if self.residual else p  # eq. 9

    def text_vector(self, f: Tensor, mask: Tensor) -> Tensor:
        """Map F^sp, (B, T, d), to one vector per text, (B, d)."""
        if self.multi_query:
            text: Tensor = self.multi_query(f, mask)  # eq. 10-13
            return text
        if self.pool == "mean":
            return mean_over_words(f, mask)
        return max_over_words(f, mask)

    def flops_per_word(self, words_per_text: float) -> float:
        """Count forward FLOPs (2 per multiply-add): attentions, 4 d x 3 d / 2 per BiLSTM layer, d C per text."""
        blocks = [block for block in (self.semantic, self.positional, self.multi_query) if block]
        layers = self.bilstm.num_layers if self.bilstm else 0
        own = layers * 6 * self.embedding.dim**2 + self.output.weight.numel() / words_per_text
        return 2 * own + sum(block.flops_per_word(words_per_text) for block in blocks)


def build_first_attention(size: int, fusion: str, distance: int) -> SelfAttention:
    """Return the attention over word vectors, the only one that may use relative positions."""
    return RelativeSelfAttention(size, distance) if fusion == "relative" else SelfAttention(size)


def check_parts_fit(fusion: str, first_attention: bool, residual: bool) -> None:
    """Reject a network with a part that would have no effect.

    Raises: ValueError with the option, its value and what is allowed.
    """
    if fusion == "relative" and not first_attention:
        raise ValueError("first_attention is False; allowed: True if fusion is relative, because it has the positions")
    if fusion == "parallel" and not residual:
        raise ValueError("residual is False; allowed: True if fusion is parallel, else the first block is lost")
