"""A random BERT of two small layers in the three files of a published one."""

import json
from functools import cache
from importlib.util import find_spec

import pytest

WORDS = ("a", "fine", "film", "##s", "dull", "not", ",", "plot", "and", "awful", "great", "the")
needs_transformers = pytest.mark.skipif(
    find_spec("transformers") is None, reason="transformers is not installed; pip install -e '.[pretrained]'"
)


@cache
def small_files() -> dict[str, bytes]:
    """Return config.json, model.safetensors and tokenizer.json; texts are padded and cut as in the published one."""
    import torch
    from safetensors.torch import save
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel

    pieces = {piece: number for number, piece in enumerate(("[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS))}
    tokenizer = Tokenizer(models.WordPiece(pieces, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.enable_padding(length=12)
    tokenizer.enable_truncation(4)
    options = {
        "vocab_size": len(pieces), "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2,
        "intermediate_size": 12, "max_position_embeddings": 16, "initializer_range": 0.6,
    }  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        network = BertModel(BertConfig(**options))
    return {
        "config.json": json.dumps(options).encode(),
        "model.safetensors": save({name: each.contiguous() for name, each in network.state_dict().items()}),
        "tokenizer.json": tokenizer.to_str().encode(),
    }
