"""Check what params.yaml accepts, and the messages for everything else."""

import copy
import re

import pytest
from ruamel.yaml import YAML

from retable.errors import InputError
from retable.experiments import data_checks, run_checks, scale
from retable.experiments import params_file as use
from retable.experiments.scale import model_preset, scale_preset
from retable.models import MODELS, TRAINERS
from retable.papers import paper
from retable.papers.parameters import row_parameters
from retable.project.params import load_yaml
from retable.project.params_text import comments_of, replace_sections, sections_of, text_of
from retable.training.parameters import check_parameters


def load(text):
    return YAML(typ="safe", pure=True).load(text)


def parameters(model="fcsr", **changes):
    preset = model_preset(model)
    values = {**copy.deepcopy(preset), "corpus": {"name": "sst-2"}, "seed": 1, "device": "auto", "precision": "float32"}
    for path, value in changes.items():
        section, _, key = path.partition("__")
        if key:
            values[section][key] = value
        else:
            values[section] = value
    return values


def whole():
    """Return all sections of params.yaml."""
    return {
        name: value for name, value in (scale_preset("cpu") | parameters()).items() if name not in ("focus", "recipe")
    }


def refusal(model="fcsr", **changes):
    with pytest.raises(InputError) as caught:
        check_parameters(parameters(model, **changes), defaults=model_preset(model))
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize("model", sorted(MODELS | TRAINERS))
def test_every_preset_is_accepted(model):
    check_parameters(parameters(model), defaults=model_preset(model))


def test_a_misspelt_option_gets_a_hint_and_the_way_back():
    sentence = refusal(model__alfa=0.3)
    assert "model.alfa" in sentence
    assert 'did you mean "alpha"' in sentence
    assert "until you undo it" in sentence


def test_a_value_out_of_range_gets_what_is_allowed_and_the_way_back():
    sentence = refusal(model__alpha=2)
    assert "alpha is 2; allowed: 0 <= alpha < 1" in sentence
    assert "-S model.alpha=0.2" in sentence


def test_a_word_for_a_number_is_refused():
    sentence = refusal(model__alpha="abc")
    assert "model.alpha is 'abc'" in sentence
    assert "a number" in sentence
    assert "-S model.alpha=0.2" in sentence


def test_an_option_of_another_model_is_told_as_such():
    sentence = refusal(model__widths=[3])
    assert "option of capsule, char-aware-cnn, dcnn, mp-cnn, textcnn, textcnn-multichannel, not of fcsr" in sentence
    assert "remove the line" in sentence


def test_an_unknown_model_gets_a_hint():
    values = parameters()
    values["model"]["name"] = "fscr"
    with pytest.raises(InputError, match='did you mean "fcsr"'):
        check_parameters(values)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"training__epochs": 0}, "epochs is 0"),
        ({"training__learning_rate": -1.0}, "learning_rate is -1.0"),
        ({"training__learning_rate": float("inf")}, "learning_rate is inf in params.yaml; allowed: a finite number"),
        ({"training__weight_decay": float("nan")}, "weight_decay is nan in params.yaml; allowed: a finite number"),
        ({"training__clip": float("inf")}, "clip is inf in params.yaml; allowed: a finite number"),
        ({"embedding__spread": float("nan")}, "spread is nan in params.yaml; allowed: a finite number"),
        ({"seed": True}, "seed in params.yaml is True"),
        ({"training__optimiser": "adamw"}, "adam, sgd, adagrad"),
        ({"training__batch_size": 2.5}, "a whole number"),
        ({"embedding__tune": "yes"}, "true or false"),
        ({"training__patience": True}, "a whole number"),
        ({"seed": -1}, "seed in params.yaml is -1"),
        ({"device": "gpu"}, "device in params.yaml"),
        ({"precision": "float16"}, "precision in params.yaml"),
        ({"model__gate": "rellu"}, "gate is"),
    ],
)
def test_every_section_is_checked(change, words):
    assert words in refusal(**change)


def test_a_missing_option_is_named():
    values = parameters()
    del values["model"]["alpha"]
    with pytest.raises(InputError, match=r"model in params\.yaml lacks alpha for fcsr; `retable use fcsr"):
        check_parameters(values)
    defaults = {"model": dict(values["model"])}  # the preset of a new model that lacks it too
    with pytest.raises(InputError, match=r"add alpha to src/retable/conf/models/fcsr\.yaml, then `retable use fcsr"):
        check_parameters(values, defaults=defaults)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('recipe: "1.0"', "", "avg-embedding.yaml lacks recipe; docs/add-a-model.md"),  # each was a traceback
        ('recipe: "1.0"', "recipe: 1.0", "recipe is 1.0 in"),
        ("training:", "trainings:", "avg-embedding.yaml lacks training"),
        ("name: avg-embedding", "name: avg-embeding", "model.name is 'avg-embeding' in"),
    ],
)
def test_a_preset_of_another_form_is_refused(tmp_path, monkeypatch, old, new, words):
    text = (scale.PRESETS / "models/avg-embedding.yaml").read_text()
    assert old in text
    (tmp_path / "models").mkdir()
    (tmp_path / "models/avg-embedding.yaml").write_text(text.replace(old, new, 1))
    monkeypatch.setattr(scale, "PRESETS", tmp_path)
    with pytest.raises(InputError, match=re.escape(words)):
        model_preset("avg-embedding")


def test_a_name_in_place_of_a_section_is_refused():
    with pytest.raises(InputError, match="model in params"):
        check_parameters(parameters(model="fcsr") | {"model": "fcsr"})


def test_gradients_of_fasttext_cannot_be_clipped():
    assert "clip is 1.0; allowed: 0" in refusal("fasttext", training__clip=1.0)


@pytest.mark.parametrize(
    ("section", "change", "words"),
    [
        ("tagger", {"step": 600}, 'unknown option of tagger in params.yaml: "step"; did you mean "steps"'),
        ("tagger", {"steps": "many"}, "tagger.steps is 'many' in params.yaml; allowed: a whole number"),
        (
            "pools",
            {"pool-en": {"corpora": ["imbd"]}},
            'corpora of pools.pool-en in params.yaml: "imbd"; did you mean "imdb"',
        ),
        ("pools", {"pool-en": {"corpora": ["fdu-mr"], "unlabelled": True}}, "has fdu-mr, which no pool may contain"),
        ("pools", {"pool-en": {"corpora": ["imdb", "ced"], "unlabelled": True}}, "corpora in en and zh"),
        ("pools", {"pool-en": {"corpora": ["imdb"], "unlabelled": 1}}, "unlabelled is 1 in params.yaml; allowed: true"),
        ("corpora", {"mr": {"parts": "contex"}}, 'unknown parts of corpora.mr in params.yaml: "contex"; did'),
        ("corpora", {"mr": {"parts": "table"}}, "the comparison table is Chinese and mr is not"),
        ("parts-table", {"corpora": ["mr"]}, 'corpora of parts-table in params.yaml: "mr"'),
        ("references", {"ewtt": {}}, 'unknown key of references in params.yaml: "ewtt"; did'),
        ("corpora", {"sst2": {"parts": "none"}}, 'unknown key of corpora in params.yaml: "sst2"; did you mean "sst-2"'),
    ],
)
def test_the_sections_of_the_data_stages_are_checked(section, change, words):
    params = scale_preset("cpu")
    params[section] = params[section] | change
    with pytest.raises(InputError) as caught:
        data_checks.check_data(params)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "option", "value", "allowed"),
    [
        ("word2vec-300", "window", 0, "1 or more"),
        ("word2vec-300", "epochs", 0, "1 or more"),
        ("word2vec-300", "size", -3, "1 or more"),
        ("word2vec-300", "min_count", 0, "1 or more"),
        ("word2vec-300", "negative", 0, "1 or more"),
        ("word2vec-300", "sample", -1, "0 or more, 1 or less"),
        ("word2vec-300", "sample", float("nan"), "a finite number"),
        ("word2vec-300", "seed", -1, "0 or more, 4294967295 or less"),
        ("glove-300", "learning_rate", float("inf"), "a finite number"),
        ("glove-300", "x_max", 0, "above 0"),
        ("tagger", "steps", -5, "1 or more"),
        ("tagger", "width", 0, "1 or more"),
        ("tagger", "dropout", 2, "0 or more, 0.99 or less"),
        ("tagger", "learning_rate", float("nan"), "a finite number"),
    ],
)
def test_a_number_of_vectors_or_tagger_out_of_range_is_refused_before_anything_hangs(kind, option, value, allowed):
    params = scale_preset("full")
    section, name = (params, "tagger") if kind == "tagger" else (params["vectors"], f"pool-en.{kind}")
    section[name][option] = value
    with pytest.raises(InputError) as caught:
        data_checks.check_data(params)
    assert f"{name}.{option} is {value!r} in params.yaml; allowed: {allowed}" in str(caught.value)


@pytest.mark.parametrize("scale", ["smoke", "cpu", "measure", "full", "paper"])
def test_the_vectors_and_tagger_of_every_scale_are_in_range(scale):
    params = scale_preset(scale)
    options = [params["tagger"], *params["vectors"].values()]
    numbers = [(name, value) for each in options for name, value in each.items() if type(value) in (int, float)]
    assert len(numbers) > len(options)
    assert [(name, value) for name, value in numbers if not data_checks.RANGES[name].holds(value)] == []


@pytest.mark.parametrize("name", ["references", "parts-table", "model"])
def test_a_file_without_a_section_is_told_how_to_get_it(name):
    params = whole()
    del params[name]
    with pytest.raises(InputError, match=f"params.yaml lacks {name}; `make params SCALE=cpu` writes all sections"):
        data_checks.check_sections(params)


@pytest.mark.parametrize("name", ["mine; touch x", "$(id)", "../mine", "a b", ".hidden", ""])
@pytest.mark.parametrize("section", ["vectors", "pools", "corpora", "cells"])
def test_a_name_that_a_shell_or_a_folder_would_misread_is_refused(section, name):
    params = whole()
    data_checks.check_sections(params)
    params[section] = params[section] | {name: {}}
    with pytest.raises(InputError, match=rf"a name in {section} of params\.yaml is .*; allowed: letters"):
        data_checks.check_sections(params)


@pytest.mark.parametrize(
    ("section", "value"), [("references", None), ("corpora", ["mr"]), ("pools", {"pool-en": None})]
)
def test_a_list_or_nothing_in_place_of_options_is_refused(section, value):
    with pytest.raises(InputError, match="it must be a section of options"):
        data_checks.check_sections(whole() | {section: value})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tagger": {"treebank": "sst-2"}}, 'unknown tagger.treebank in params.yaml: "sst-2"'),
        ({"pools": {"pool-en": {"corpora": ["imdb"], "unlabeled": True}}}, 'did you mean "unlabelled"'),
    ],
)
def test_a_reference_of_another_kind_and_a_misspelt_key_are_refused(change, words):
    with pytest.raises(InputError) as caught:
        data_checks.check_data(scale_preset("cpu") | change)
    assert words in str(caught.value)


@pytest.mark.parametrize("lost", ["size", "source", "window"])
def test_a_missing_option_of_word_vectors_is_refused(lost):
    params = scale_preset("cpu")
    del params["vectors"]["pool-en.word2vec-300"][lost]
    with pytest.raises(InputError, match=rf"vectors\.pool-en\.word2vec-300 in params\.yaml lacks {lost}"):
        data_checks.check_data(params)


def test_word_vectors_of_another_unit_or_language_are_refused():
    params = scale_preset("full")
    run_checks.check_vectors_fit(params, "ced", "pool-zh.word2vec-characters-300", "characters", "")
    run_checks.check_vectors_fit(params, "ced", "none", "characters", "")
    with pytest.raises(
        InputError, match=r"embedding.unit is characters, but the vectors pool-zh.word2vec-300 are of words"
    ):
        run_checks.check_vectors_fit(params, "ced", "pool-zh.word2vec-300", "characters", "")
    with pytest.raises(InputError, match="are in the language zh, but mr is in en"):
        run_checks.check_vectors_fit(params, "mr", "pool-zh.word2vec-300", "words", "")


def test_word_vectors_of_a_part_are_refused_for_the_whole():
    params = scale_preset("full")
    run_checks.check_vectors_fit(params, "r8", "r8.word2vec-100", "words", "")
    run_checks.check_vectors_fit(params, "thucnews", "pool-zh.word2vec-300", "words", "")  # ced is in that pool too
    with pytest.raises(InputError, match="trained on r8, a part of r52, and r52 holds out some of its training texts"):
        run_checks.check_vectors_fit(params, "r52", "r8.word2vec-100", "words", "")


def test_the_focus_gets_vectors_of_its_language_and_unit():
    params = scale_preset("cpu")
    assert use.focus_vectors(params, "en", "words") == "pool-en.word2vec-300"
    assert use.focus_vectors(params, "zh", "characters") == "pool-zh.word2vec-characters-300"
    assert use.focus_vectors(params, "en", "characters") == "none"
    file = {"source": "zh.vec", "method": "file", "format": "glove", "language": "zh"}
    assert use.focus_vectors({"vectors": {"zh.file-300": file}, "pools": {}}, "en", "words") == "none"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "without sections"),
        (b"null\n", "without sections"),
        (b"- a\n", "without sections"),
        ("seed: 1  # é".encode("latin-1"), "is not UTF-8"),
        (b"seed: 1\nseed: 2\n", "is not YAML"),
        (b"a: &a [*a]\nb: \x00\n", "is not YAML"),
    ],
)
def test_a_params_file_that_is_none_is_refused_in_one_sentence(tmp_path, content, words):
    (tmp_path / "params.yaml").write_bytes(content)
    with pytest.raises(InputError, match=words) as caught:
        load_yaml(tmp_path / "params.yaml")
    assert "\n" not in str(caught.value)


def test_a_scale_is_not_written_over_what_cannot_be_read(tmp_path, monkeypatch):
    monkeypatch.setattr(use, "PARAMS", tmp_path / "params.yaml")
    (tmp_path / "params.yaml").write_bytes(b"seed: 1  # \xe9")
    with pytest.raises(InputError, match="is not UTF-8"):
        use.write_scale("cpu")
    assert (tmp_path / "params.yaml").read_bytes() == b"seed: 1  # \xe9"


CONFLICT = "<<<<<<< HEAD\nscale: cpu\n=======\nscale: smoke\n>>>>>>> other\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (CONFLICT, "is not YAML"),
        ("scale: cpu\n", "lacks corpora"),
        ("scale: cpu\ncorpora: 3\npools: {}\nvectors: {}\n", "corpora is 3"),
        ("scale: cpu\ncorpora: {sst-2: {}}\npools: {}\nvectors: {a: {}}\n", "vectors.a.source"),
    ],
)
def test_a_preset_is_not_written_into_a_damaged_file(tmp_path, monkeypatch, content, words):
    monkeypatch.setattr(use, "PARAMS", tmp_path / "params.yaml")
    (tmp_path / "params.yaml").write_text(content)
    with pytest.raises(InputError, match=words):
        use.use("fcsr", "sst-2")
    if content == CONFLICT:
        with pytest.raises(InputError, match=words):
            use.write_scale("cpu")
    assert (tmp_path / "params.yaml").read_text() == content


def test_a_misspelt_option_of_word_vectors_is_refused():
    params = scale_preset("cpu")
    params["vectors"]["pool-en.word2vec-300"]["windows"] = 5
    with pytest.raises(InputError, match=r'unknown option of .*: "windows"; did you mean "window"'):
        data_checks.check_data(params)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seeds", 3),
        ("seeds", []),
        ("seeds", {"nowhere": [1]}),
        ("seeds", {"sst-2": 5}),
        ("epochs", "all"),
        ("epochs", -1),
        ("deterministic", 1),
    ],
)
def test_how_a_papers_cells_are_run_is_checked(key, value):
    params = scale_preset("cpu")
    params["papers"]["fcsr"][key] = value
    with pytest.raises(InputError, match=rf"{key} of papers\.fcsr in params\.yaml(: | is )"):
        run_checks.check_cells(params, paper("fcsr"))


def test_a_linear_model_has_no_training_section():
    assert "epochs" in refusal("tfidf-svm", training={"epochs": 3})


def test_a_corpus_that_the_scale_does_not_prepare_is_refused():
    params = {"corpora": {"sst-2": {}}, "vectors": {}}
    with pytest.raises(InputError, match='did you mean "sst-2"'):
        run_checks.check_named(params, "sst2", "none", "")


def test_a_model_that_reads_parts_of_speech_is_refused_where_there_are_none():
    params = {"corpora": {"ced": {"parts": "none"}, "mr": {"parts": "context"}}}
    run_checks.check_parts(params, "transformer-f", "mr", "")
    run_checks.check_parts(params, "transformer", "ced", "")
    with pytest.raises(InputError, match=r"corpora\.ced\.parts is none in params\.yaml; set it to context"):
        run_checks.check_parts(params, "transformer-f", "ced", "")


def test_sections_change_as_text_and_comments_stay():
    text = "# head\n\na: 1  # my remark\n\n# above b\nb:\n  c: 2  # two\n  d: 3\n"
    new = replace_sections(text, "a: 1  # the preset's remark\nb:\n  c: 5  # five\n", ("a", "b"))
    assert new == "# head\n\na: 1  # my remark\n\nb:\n  c: 5  # five\n\n"


def test_sections_join_to_the_same_text():
    text = "# head\nx: 1\n\n# above y\ny: {z: 2}\n# end\n"
    assert "".join(sections_of(text).values()) == text


def test_options_stand_in_one_line_where_they_fit_and_have_no_comments():
    text = "a: 1  # one\nb:  # two\n  x: {k: {}, l: [true, text]}\n  y:\n    k: 2.0  # three\n    l: none\n"
    assert text_of(load(text), comments_of(text)) == text
    assert text_of({"b": {"z": {"k": "v" * 90}}}, {}) == f"b:\n  z:\n    k: {'v' * 90}\n"


def test_a_comment_is_that_of_the_first_option_of_its_name_and_said_once():
    comments = comments_of("a:\n  x:\n    k: 1  # meaning of k\nb:\n  k: 3\n")
    assert comments == {("a", "x", "k"): "meaning of k"}
    text = text_of({"a": {"y": {"k": "v" * 90}, "x": {"k": 1}}, "b": {"k": 3}}, comments)
    assert text == f"a:\n  y:\n    k: {'v' * 90}  # meaning of k\n  x:\n    k: 1\nb:\n  k: 3\n"


def test_every_option_of_the_base_keeps_its_comment_in_params(tmp_path, monkeypatch):
    monkeypatch.setattr(use, "PARAMS", tmp_path / "params.yaml")
    use.write_scale("smoke")
    text = (tmp_path / "params.yaml").read_text()
    for words in (
        "passes over the pool",
        "AdaGrad",
        "rows whose trained weights",
        "words in an update",
        "and one pool per",
    ):
        assert text.count(words) == 1


def test_writing_a_scale_and_a_model_twice_changes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(use, "PARAMS", tmp_path / "params.yaml")
    use.write_scale("cpu")
    first = (tmp_path / "params.yaml").read_text()
    use.write_scale("smoke")
    assert (tmp_path / "params.yaml").read_text() != first
    use.write_scale("cpu")
    assert (tmp_path / "params.yaml").read_text() == first


def test_use_takes_the_models_options_and_keeps_the_rest(tmp_path, monkeypatch):
    monkeypatch.setattr(use, "PARAMS", tmp_path / "params.yaml")
    use.write_scale("cpu")
    before = sections_of((tmp_path / "params.yaml").read_text())
    use.use("tfidf-svm", "imdb")
    after = sections_of((tmp_path / "params.yaml").read_text())
    assert {name for name in after if after[name] != before[name]} == {"corpus", "model", "embedding", "training"}
    params = load_yaml(tmp_path / "params.yaml")
    run_checks.check_focus(params)
    with pytest.raises(InputError, match='did you mean "imdb"'):
        use.use("fcsr", "imbd")
    with pytest.raises(InputError, match="not prepared at scale cpu"):
        use.use("fcsr", "sample-en")


def test_the_smallest_scale_trains_its_networks_long_enough_to_learn(tmp_path, monkeypatch):
    monkeypatch.setattr(use, "PARAMS", tmp_path / "params.yaml")
    use.write_scale("smoke")
    params = load_yaml(tmp_path / "params.yaml")
    run_checks.check_focus(params)
    assert (params["training"]["batch_size"], params["training"]["learning_rate"]) == (10, 0.01)
    use.use("bigru", "sample-en")  # another model takes the same, in place of its preset's descent
    chosen = load_yaml(tmp_path / "params.yaml")["training"]
    assert (chosen["optimiser"], chosen["batch_size"], chosen["learning_rate"]) == ("adam", 10, 0.01)
    table = paper("fcsr").result_table("fcsr-table-3")
    asked = [
        row_parameters(
            model_preset(row), table.row(row), table.column("sst-2"), scale_preset(scale)["papers"]["fcsr"],
            vectors="none", seed=1,
        )["training"]
        for row, scale in (("fcsr", "smoke"), ("fcsr", "full"), ("nb-svm", "smoke"))
    ]  # fmt: skip
    assert (asked[0]["batch_size"], asked[0]["epochs"]) == (10, 6)
    assert asked[1]["batch_size"] == model_preset("fcsr")["training"]["batch_size"]
    assert asked[2] == model_preset("nb-svm")["training"]


def test_no_network_of_smoke_descends_by_sgd_at_a_hundredth_which_answers_one_label_only():
    table, protocol = paper("lama").result_table("lama-table-4"), scale_preset("smoke")["papers"]["lama"]
    for row in ("bigru", "lama-ctx-dp"):
        training = row_parameters(
            model_preset(table.row(row).model), table.row(row), table.column("r8"), protocol, vectors="none", seed=1
        )["training"]
        assert (training["optimiser"], training["momentum"]) == ("adam", 0.0)


def test_a_scale_makes_the_models_smaller_that_have_what_it_names():
    table, protocol = paper("transformer-f").result_table("transformer-f-table-2"), scale_preset("smoke")["papers"]
    asked = {
        row: row_parameters(
            model_preset(row), table.row(row), table.column("sample-zh"), protocol["transformer-f"],
            vectors="none", seed=1,
        )["model"]
        for row in ("transformer-f", "nb-svm")
    }  # fmt: skip
    assert asked["transformer-f"] == model_preset("transformer-f")["model"] | {"layers": 2, "size": 64, "heads": 1}
    assert asked["nb-svm"] == model_preset("nb-svm")["model"]


@pytest.mark.parametrize("section", ["model", "training"])
@pytest.mark.parametrize("given", [3, None, ["layers"]])
def test_options_of_a_scale_without_values_are_refused(section, given):
    params = scale_preset("smoke")
    params["papers"]["fcsr"][section] = given
    with pytest.raises(InputError, match=f"{section} of papers.fcsr in params.yaml is .*; allowed: options with"):
        run_checks.check_cells(params, paper("fcsr"))


@pytest.mark.parametrize(
    ("section", "given", "near"), [("training", "batch_sise", "batch_size"), ("model", "layer", "layers")]
)
def test_a_misspelt_option_of_a_scale_gets_the_nearest_one(section, given, near):
    params = scale_preset("smoke")
    params["papers"]["transformer-f"][section] = {given: 1}
    with pytest.raises(InputError, match=f'{section} of papers.transformer-f.*did you mean "{near}"'):
        run_checks.check_cells(params, paper("transformer-f"))
