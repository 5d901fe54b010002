"""What no source and no import does, and that pictures, which pages include unescaped, contain no markup."""

import ast
import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from markdown_it import MarkdownIt

from retable.figures.forest import Difference, forest_picture
from retable.figures.pictures import draw_confusion, draw_roc
from retable.figures.style import svg_of
from retable.tables.markdown import literal

ROOT = Path(__file__).parents[1]
SOURCES = [path for name in ("src", "benchmarks", "probe") for path in sorted((ROOT / name).rglob("*.py"))]
UNSAFE_MODULES = {
    "pickle",
    "cPickle",
    "dill",
    "cloudpickle",
    "joblib",
    "shelve",
    "marshal",
    "yaml",
}  # yaml: ours is ruamel
UNSAFE_CALLS = {"eval", "exec", "os.system", "os.popen", "yaml.unsafe_load", "yaml.full_load"}
EXTRACTING = {"extract", "extractall", "unpack_archive"}


def dotted(node: ast.expr) -> str:
    """Return the name of the called function: torch.load."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def problems_of(source: str) -> list[str]:
    """Return the parts of a source that would run or unpack external input."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names]
            errors_alone = isinstance(node, ast.ImportFrom) and all(each.name.endswith("Error") for each in node.names)
            names = [] if errors_alone else names  # torch.load raises it
            found += [f"imports {name}" for name in names if name.partition(".")[0] in UNSAFE_MODULES]
        if not isinstance(node, ast.Call):
            continue
        name, given = dotted(node.func), {each.arg: each.value for each in node.keywords}
        options = {option: value.value for option, value in given.items() if isinstance(value, ast.Constant)}
        if name in UNSAFE_CALLS or options.get("shell") is True or options.get("allow_pickle") is True:
            found.append(f"calls {name}")
        if name == "torch.load" and options.get("weights_only") is not True:
            found.append("torch.load without weights_only=True")
        if name in ("YAML", "ruamel.yaml.YAML") and options.get("typ") == "unsafe":
            found.append("an unsafe YAML")
        if name.rpartition(".")[2] in EXTRACTING and options.get("filter") != "data":
            found.append(f"{name} without filter='data'")
    return found


def test_no_source_unpickles_evaluates_or_unpacks_without_care():
    found = {path.relative_to(ROOT).as_posix(): problems_of(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert len(found) > 300
    assert {path: problems for path, problems in found.items() if problems} == {}


@pytest.mark.parametrize(
    "source",
    [
        "import pickle", "from joblib import load", "torch.load(file)", "torch.load(file, weights_only=False)",
        "import yaml", "subprocess.run(text, shell=True)", "np.load(path, allow_pickle=True)",
        "archive.extractall(folder)", "shutil.unpack_archive(path)", "eval(text)", "YAML(typ='unsafe')",
    ],
)  # fmt: skip
def test_the_scan_sees_what_it_looks_for(source):
    assert len(problems_of(source)) == 1


OFFLINE = """
import socket, sys

def refuse(*of, **options):
    raise SystemExit("the network is asked for at import")

socket.socket.connect = socket.socket.connect_ex = socket.create_connection = socket.getaddrinfo = refuse
import importlib, pkgutil
import retable
for module in pkgutil.walk_packages(retable.__path__, "retable."):
    if not module.name.endswith(("__main__", "minilm")):
        importlib.import_module(module.name)
print(len([name for name in sys.modules if name.startswith("retable.")]))
"""


def test_importing_everything_asks_for_no_network():
    done = subprocess.run([sys.executable, "-c", OFFLINE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 250


def test_a_label_of_markup_is_text_in_a_picture():
    labels = ("good", "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>')
    classes = np.arange(9) % 3
    picture = svg_of(draw_confusion(classes, classes, labels)).decode()
    assert "&lt;script&gt;alert(1)" in picture
    assert "<script" not in picture
    assert "<img" not in picture


NAMES = {  # a label, word or row -> how a picture shows it, where it cannot be as it is
    "<script>alert(1)</script>": "",
    '"><img src=x onerror=alert(1)>': "",
    "</text></svg><svg onload=alert(1)>": "",
    "a ]]> b": "",
    "--><!-- x": "",
    "A & B &lt; &#60;": "",
    "$x^2$ \\frac{$": "",
    "{{ 7 * 7 }}": "",
    "#coronavirus": "",
    'id="a-long-name"': "",
    "bell\x07": "bell\ufffd",
}


def pictures_with(name):
    """Return the kinds of picture that show names from data or tables."""
    true, found = np.array([0, 1, 0, 1]), np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.3, 0.7]])
    return {
        "confusion": svg_of(draw_confusion(true, found.argmax(axis=1), ("good", name))),
        "roc": svg_of(draw_roc(true, found, ("good", name))),
        "forest": forest_picture([Difference("FCSR", name, 1.0, 0.5, 0.1, 0.9, -1.0, 2.0)]),
    }


DRAWN = {"svg", "defs", "style", "g", "path", "text", "tspan", "use", "rect", "clipPath", "image", "title"}


@pytest.mark.filterwarnings("ignore::UserWarning")  # no glyph, or no room
@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_shown_letter_by_letter_in_every_picture(name):
    for kind, picture in pictures_with(name).items():
        root = ElementTree.fromstring(picture)
        assert {each.tag.rpartition("}")[2] for each in root.iter()} <= DRAWN, kind
        assert not [key for each in root.iter() for key in each.attrib if key.startswith("on")], kind
        assert any((NAMES[name] or name) in (each.text or "") for each in root.iter()), kind


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_shown_letter_by_letter_in_markdown(name):
    page = f"| {literal(name)} |\n|---|\n\n# {literal(name)}: x\n\n- {literal(name)}\n"
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(page)
    shown = re.findall(r"<(?:th|h1|li)>(.*?)(?:: x)?</(?:th|h1|li)>", html)
    assert [unescape(each) for each in shown] == [name] * 3
    assert not re.search(r"<(?!/?(table|thead|tr|th|h1|ul|li)>)", html)


@pytest.mark.parametrize("pip", ["23.0", "23.1"])
@pytest.mark.parametrize(
    ("name", "digest", "refused"),
    [("torch", "known", False), ("torch", "0" * 64, True), ("networkx", "0" * 64, False)],
)
def test_a_build_of_torch_that_is_not_listed_is_refused(tmp_path, name, digest, refused, pip):
    listed = (ROOT / "requirements/torch.txt").read_text(encoding="utf-8")
    digest = re.findall(r"sha256:(\w{64})", listed)[0] if digest == "known" else digest
    archive = {"hash": f"sha256={digest}"} | ({} if pip == "23.0" else {"hashes": {"sha256": digest}})
    taken = {"url": f"https://host/{name}-1%2Bcpu.whl", "archive_info": archive}
    report = tmp_path / "report.json"
    report.write_text(json.dumps({"install": [{"metadata": {"name": name}, "download_info": taken}]}))
    asked = [sys.executable, ROOT / "requirements/check_torch.py", report]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert (done.returncode, "torch-1+cpu.whl has a digest" in done.stderr) == (int(refused), refused)


def test_the_digests_are_those_of_the_version_that_is_installed():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"torch=={re.search(r'TORCH_VERSION := (.+)', makefile)[1]} \\" in (
        (ROOT / "requirements/torch.txt").read_text(encoding="utf-8")
    )
