import ast

from retable.runs.provenance import run_key, tree_digest


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


def test_a_key_depends_on_each_hash_and_its_place():
    keys = [run_key("a", "b", "fcsr 1.0"), run_key("b", "a", "fcsr 1.0"), run_key("a", "b", "fcsr 2.0")]
    assert len({*keys, run_key("a", "b", "fcsr 1.0, loop 1.0")}) == 4


def test_runs_of_two_minors_of_a_recipe_are_the_same_run():
    assert run_key("a", "b", "fcsr 1.0, loop 1.2") == run_key("a", "b", "fcsr 1.3, loop 1.0")
