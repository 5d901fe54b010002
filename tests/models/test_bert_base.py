"""BERT, fine-tuned: on a tiny random encoder in the three files of a published one."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from retable.errors import InputError
from retable.models import loader_of
from retable.models.bert_base import FineTuned, answers, load_pretrained, pretrained_files, rate_share, train_bert_base
from tests.models.declared import train_as_a_run
from tests.models.small_bert import needs_transformers, small_files
from tests.training.conftest import make_split

GOOD, BAD = ["a fine film", "great plot", "fine and great", "not dull"], ["a dull film", "awful plot", "dull and awful"]
TRAIN = make_split((GOOD + BAD) * 3, ([1] * 4 + [0] * 3) * 3)
DEV = make_split(["a great film", "awful film", "fine plot", "the dull plot", "not awful"], [1, 0, 1, 0, 1])
OPTIONS = {"lowercase": False, "seed": 1, "learning_rate": 0.02, "epochs": 6, "batch_size": 4, "max_pieces": 8}
CONFIG = {
    "vocab_size": 16, "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 12,
    "max_position_embeddings": 16, "initializer_range": 0.6,
}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """Return the tiny encoder's files."""
    for name, content in small_files().items():
        (tmp_path / name).write_bytes(content)
    return str(tmp_path)


@needs_transformers
def test_it_learns_chooses_its_epoch_on_dev_repeats_and_survives_saving(folder, tmp_path):
    classifier, tried = train_bert_base(TRAIN, DEV, weights=folder, **OPTIONS)
    found = classifier.probabilities(DEV)
    assert found.sum(axis=1) == pytest.approx(np.ones(5), rel=1e-5)
    assert (found.argmax(axis=1) == DEV.classes).mean() == max(candidate.dev_accuracy for candidate in tried)
    assert [candidate.features for candidate in tried] == [f"epoch-{number}" for number in range(1, 7)]
    again, _ = train_bert_base(TRAIN, DEV, weights=folder, **OPTIONS)
    assert np.array_equal(again.probabilities(DEV), found)
    (tmp_path / "kept").mkdir()
    classifier.save(tmp_path / "kept")
    assert np.array_equal(loader_of("bert-base")(tmp_path / "kept").probabilities(DEV), found)


@needs_transformers
def test_its_texts_are_memorised_and_the_best_epoch_is_kept(folder):
    """The last of these epochs is not the best one."""
    options = OPTIONS | {"learning_rate": 0.003, "epochs": 30}
    classifier, tried = train_bert_base(TRAIN, TRAIN, weights=folder, **options)
    assert max(candidate.dev_accuracy for candidate in tried) == 1.0
    assert tried[-1].dev_accuracy < 1.0
    assert (classifier.probabilities(TRAIN).argmax(axis=1) == TRAIN.classes).all()


@needs_transformers
def test_no_epoch_follows_once_the_time_is_over(folder):
    one, tried = train_bert_base(TRAIN, DEV, weights=folder, **OPTIONS, on_candidate=lambda candidate, more: more)
    assert [candidate.features for candidate in tried] == ["epoch-1"]
    assert (one.probabilities(DEV).argmax(axis=1) == DEV.classes).mean() == tried[0].dev_accuracy


@needs_transformers
def test_every_weight_of_the_encoder_is_tuned(folder):
    before = FineTuned(CONFIG, 2, 0.0)
    load_pretrained(before, small_files()["model.safetensors"], folder)
    after, _ = train_bert_base(TRAIN, DEV, weights=folder, **(OPTIONS | {"epochs": 1}))
    pieces = {number for text in after.pieces(TRAIN) for number in text}
    for (name, old), new in zip(before.named_parameters(), after.network.parameters(), strict=True):
        if "embeddings" not in name and not name.endswith("key.bias"):  # which no softmax sees
            assert not torch.equal(old, new.cpu()), name
    words = after.network.bert.embeddings.word_embeddings.weight
    assert len(pieces) > 5
    assert not torch.equal(words.cpu(), before.bert.embeddings.word_embeddings.weight)


@needs_transformers
def test_logits_are_those_of_the_pooled_first_state_and_padding_changes_nothing():
    torch.manual_seed(2)
    network = FineTuned(CONFIG, 3, 0.5).eval()
    x, mask = torch.randint(4, 16, (2, 6)), torch.arange(6) < torch.tensor([[6], [3]])
    first = network.bert(input_ids=x[1:, :3]).last_hidden_state[:, 0]
    c = torch.tanh(network.bert.pooler.dense.weight @ first[0] + network.bert.pooler.dense.bias)
    expected = network.output.weight @ c + network.output.bias
    torch.testing.assert_close(network(x, mask)[1], expected, rtol=1e-4, atol=1e-5)
    alone = answers(network, [x[1, :3].tolist()], "texts")
    together = answers(network, [x[0].tolist(), x[1, :3].tolist()], "texts")
    assert together[1] == pytest.approx(alone[0], rel=1e-4)


@needs_transformers
def test_old_names_of_weights_are_read_and_other_weights_refused():
    from safetensors.torch import load, save

    weights = load(small_files()["model.safetensors"])
    old = {
        f"bert.{name}".replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): each
        for name, each in weights.items()
    }
    one, other = FineTuned(CONFIG, 2, 0.0), FineTuned(CONFIG, 2, 0.0)
    load_pretrained(one, save(weights), "new")
    load_pretrained(other, save(old | {"cls.predictions.bias": torch.zeros(3)}), "old")
    for name, weight in one.bert.state_dict().items():
        assert torch.equal(weight, other.bert.state_dict()[name]), name
    with pytest.raises(
        InputError, match=r"model\.weights is mine, whose weights are not those of a BERT: bert\.strange"
    ):
        load_pretrained(one, save(weights | {"strange": torch.zeros(2)}), "mine")


@needs_transformers
def test_a_folder_that_lacks_a_file_and_a_hub_out_of_reach_are_answered_in_a_sentence(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"a folder without config\.json, model\.safetensors, tokenizer\.json"):
        pretrained_files(str(tmp_path), "main")
    import huggingface_hub

    def unreachable(*_, **__):
        raise OSError

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", unreachable)
    with pytest.raises(InputError, match="is not a folder, and the hub cannot be reached"):
        pretrained_files("somebody/something", "main")


@needs_transformers
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config.json", b"{"), ("config.json", b"[]"), ("config.json", b'{"hidden_size": -1}'),
        ("tokenizer.json", b"{}"), ("tokenizer.json", b"\xff"), ("model.safetensors", b"none"),
        ("model.safetensors", b"\x02\0\0\0\0\0\0\0{}"),
    ],
)  # fmt: skip
def test_damaged_files_of_the_pretrained_model_get_one_sentence(name, content, tmp_path):
    for file, whole in small_files().items():
        (tmp_path / file).write_bytes(content if file == name else whole)
    with pytest.raises(InputError, match=r"^model\.weights is .*, whose (files|weights) are not those of a BERT"):
        train_bert_base(TRAIN, DEV, weights=str(tmp_path), **OPTIONS)


def test_the_rate_rises_over_a_tenth_of_the_steps_and_falls_to_nothing():
    shares = [rate_share(step, 20) for step in range(21)]
    assert shares[:3] == [0.5, 1.0, 1.0]
    assert shares[11] == 0.5
    assert shares[20] == 0.0


@pytest.mark.parametrize(
    ("option", "value"), [("epochs", 0), ("batch_size", 0), ("max_pieces", 2), ("dropout", 1.5), ("learning_rate", 0.0)]
)
def test_options_out_of_range_are_refused(option, value):
    with pytest.raises(ValueError, match=f"^{option} is "):
        train_as_a_run("bert-base", TRAIN, DEV, **{option: value})


@needs_transformers
def test_texts_longer_than_the_encoder_are_refused_and_costs_are_counted(folder):
    with pytest.raises(ValueError, match="max_pieces is 17; allowed: at most 16"):
        train_bert_base(TRAIN, DEV, weights=folder, **(OPTIONS | {"max_pieces": 17}))
    classifier, _ = train_bert_base(TRAIN, DEV, weights=folder, **(OPTIONS | {"epochs": 1}))
    facts = replace(classifier, flops_per_text=100.0).cost_facts(4.0)
    assert facts["parameters"] == sum(weight.numel() for weight in classifier.network.parameters())
    assert facts["flops_per_word"] == (100 + 2 * 8 * 2) / 4
