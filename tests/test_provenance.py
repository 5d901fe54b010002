import ast

from retable.runs.provenance import module_digests, run_key, tree_digest


def digest(source):
    return tree_digest(ast.parse(source))


def test_comments_docstrings_and_layout_change_no_digest():
    plain = "def f(a):\n    return a + 1\n"
    assert digest(plain) == digest(
        '"""What."""\n\n\ndef f(a):  # why\n    """Doc."""\n    return (a +\n            1)\n'
    )


def test_any_change_of_the_code_changes_the_digest():
    assert digest("a = 1") != digest("a = 2") != digest("b = 2")
    assert digest("a = '1'") != digest("a = 1")
    assert digest("def f(): return 0.5") != digest("def f(): return 0.25")


def write(folder, **modules):
    for name, text in modules.items():
        path = folder / "retable" / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_digests_cover_what_is_imported_and_nothing_else(tmp_path):
    write(
        tmp_path, run="from retable.layers import context\nimport numpy\n", layers____init__="",
        layers__context="from retable.errors import InputError\n\ndef late():\n    import retable.tracking\n",
        errors="class InputError(ValueError): pass\n", tracking="import mlflow\n", other="x = 1\n",
    )  # fmt: skip
    (tmp_path / "retable/layers/__init__.py").write_text("")
    assert set(module_digests(["retable.run"], tmp_path)) == {
        "retable.run",
        "retable.layers",
        "retable.layers.context",
        "retable.errors",
    }


def test_an_edit_changes_the_digest_of_its_importers_root(tmp_path):
    write(tmp_path, run="import retable.model\n", model="size = 3\n", other="size = 3\n")
    before = module_digests(["retable.run"], tmp_path)
    write(tmp_path, other="size = 4\n")
    assert module_digests(["retable.run"], tmp_path) == before
    write(tmp_path, model="size = 4\n")
    assert module_digests(["retable.run"], tmp_path) != before


def test_a_key_depends_on_each_hash_and_its_place():
    keys = [run_key("a", "b", "fcsr 1.0"), run_key("b", "a", "fcsr 1.0"), run_key("a", "b", "fcsr 2.0")]
    assert len({*keys, run_key("a", "b", "fcsr 1.0, loop 1.0")}) == 4


def test_runs_of_two_minors_of_a_recipe_are_the_same_run():
    assert run_key("a", "b", "fcsr 1.0, loop 1.2") == run_key("a", "b", "fcsr 1.3, loop 1.0")
