"""Bad params.yaml, as the stage `code` reads it before anything else."""

import copy
import io
import tempfile
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from retable.experiments import params_file
from retable.project import params
from retable.project.params import load_yaml
from retable.stages import code
from tests.robustness.kinds import Damage, Group, Kind, folder, lose, put, replaced, set_at

GONE = object()
WORD2VEC = "vectors/sample-en.word2vec-50"
GLOVE = "vectors/sample-en.glove-50"
INF, NAN = float("inf"), float("nan")


@cache
def whole() -> tuple[str, dict[str, Any]]:
    """Return params.yaml of scale smoke, as text and as values."""
    with tempfile.TemporaryDirectory() as scratch:
        path, before = Path(scratch, "params.yaml"), params_file.PARAMS
        params_file.PARAMS = path
        try:
            params_file.write_scale("smoke")
        finally:
            params_file.PARAMS = before
        return path.read_text(encoding="utf-8"), load_yaml(path)


def make(place: Path) -> None:
    (place / "params.yaml").write_text(whole()[0], encoding="utf-8")


def read(place: Path) -> None:
    before = code.PARAMS, code.CODE, params.PARAMS
    code.PARAMS, code.CODE, params.PARAMS = place / "params.yaml", place / "code", place / "params.yaml"
    try:
        code.main()
    finally:
        code.PARAMS, code.CODE, params.PARAMS = before


def has(where: str, value: Any) -> Damage:
    """Set a value of params.yaml, or remove it."""

    def damage(place: Path) -> None:
        changed = copy.deepcopy(whole()[1])
        if value is GONE:
            *sections, last = where.split("/")
            inner = changed
            for section in sections:
                inner = inner[section]
            del inner[last]
        else:
            set_at(changed, where, value)
        text = io.StringIO()
        YAML(typ="safe", pure=True).dump(changed, text)
        (place / "params.yaml").write_text(text.getvalue(), encoding="utf-8")

    return damage


def added(line: str) -> Damage:
    return lambda place: (place / "params.yaml").write_text(f"{whole()[0]}\n{line}\n", encoding="utf-8")


def row(where: str, value: Any, words: str = "") -> Kind:
    """Return a kind for a value; its message contains the last name of its path."""
    shown = "absent" if value is GONE else repr(value)
    return Kind(f"{where} = {shown[:90]}", has(where, value), words or where.rpartition("/")[2].replace(".", r"\."))


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30)
)

KINDS = (
    Kind("params.yaml missing", lose("params.yaml"), r"params\.yaml is missing"),
    Kind("params.yaml a folder", folder("params.yaml"), r"params\.yaml"),
    Kind("params.yaml empty", put("params.yaml", b""), "without sections"),
    Kind("params.yaml null", put("params.yaml", "null\n"), "without sections"),
    Kind("params.yaml a list", put("params.yaml", "- a\n"), "without sections"),
    Kind("params.yaml a long word", put("params.yaml", "a" * 100_000), "without sections"),
    Kind("params.yaml not UTF-8", put("params.yaml", b"seed: 1  # \xe9\n"), "not UTF-8"),
    Kind("params.yaml UTF-16", put("params.yaml", "seed: 1\n".encode("utf-16")), "not UTF-8"),
    Kind("params.yaml with NUL", put("params.yaml", b"seed: \x00\n"), "not YAML"),
    Kind("params.yaml with tabs", put("params.yaml", b"a:\n\tb: 1\n"), "not YAML"),
    Kind("params.yaml with a Python object", added("x: !!python/object/apply:os.system [true]"), "not YAML"),
    Kind("params.yaml of two documents", added("---\nseed: 1"), "not YAML"),
    Kind("a seed twice", added("seed: 2"), "not YAML"),
    Kind("a YAML bomb", put("params.yaml", BOMB), "alias"),
    Kind("a YAML bomb of mappings", put("params.yaml", BOMB.replace("[", "{k: [").replace("]", "]}")), "alias"),
    Kind("an alias of itself", added("x: &x [*x]"), "alias"),
    Kind("lists nested too deep", added("x: " + "[" * 500 + "]" * 500), "nested"),
    Kind("mappings nested too deep", added("x: " + "{a: " * 500 + "1" + "}" * 500), "nested"),
    Kind("a number of 5,000 digits", put("params.yaml", "seed: " + "1" * 5000), "not YAML"),
    Kind("a date that is none", put("params.yaml", "seed: 2026-13-45"), "not YAML"),
    Kind("a key that is a list", added("? [a, b]\n: 1"), "not YAML|section"),
    Kind("a number for a section", added("7: 1"), "section"),
    row("scale", "cpuu", "cpuu"),
    row("scale", ["cpu"], "scale"),
    row("scale", None, "scale"),
    row("paramz", {}, "paramz"),
    row("references", GONE),
    row("corpora", ["sample-en"]),
    row("corpora", None),
    row("corpora/sst2", {"parts": "none"}),
    row("corpora/sample-en", None),
    row("corpora/sample-en", {"parts": "contex"}),
    row("corpora/sample-en", {"parts": ["none"]}),
    row("corpora/sample-en", {"parts": "none", "part": 1}, "part"),
    row("corpora/mine; touch x", {"parts": "none"}, "a name in corpora"),
    row("references/ewtt", {}),
    row("references/sample-treebank-en", {"of": 1}),
    row("tagger/treebank", "sst-2"),
    row("tagger/treebank", ["sample-treebank-en"]),
    row("tagger/step", 600),
    row("tagger/steps", -5),
    row("tagger/steps", "many"),
    row("tagger/steps", 10**400),
    row("tagger/width", 0),
    row("tagger/width", 10**9),
    row("tagger/depth", 0),
    row("tagger/dropout", 2),
    row("tagger/lowercased", -0.1),
    row("tagger/learning_rate", NAN),
    row("tagger/seed", True),
    row("tagger/seed", 2**32),
    row("tagger/width", GONE),
    row("parts-table/corpora", "sample-zh"),
    row("parts-table/corpora", 3),
    row("parts-table/corpora", ["sample-zh", "sample-zh"]),
    row("parts-table/corpora", [["sample-zh"]]),
    row("parts-table/corpus", ["sample-zh"]),
    row("parts-table/corpora", GONE),
    row("pools/sample-en", None),
    row("pools/sample-en/corpora", "sample-en"),
    row("pools/sample-en/corpora", 7),
    row("pools/sample-en/corpora", []),
    row("pools/sample-en/corpora", ["sample-en", "sample-en"]),
    row("pools/sample-en/corpora", ["sample-en", "sample-zh"], "en and zh"),
    row("pools/sample-en/corpora", ["imbd"], "imbd"),
    row("pools/sample-en/corpora", [{"a": 1}]),
    row("pools/sample-en/unlabelled", 1),
    row("pools/sample-en/unlabeled", True),
    row("pools/sample-en/folds", 1),
    row("pools/sample-en/folds", "two"),
    row("pools/sample-en/folds", 10**9),
    row("pools/$(id)", {"corpora": ["sample-en"], "unlabelled": False}, "a name in pools"),
    row(f"{WORD2VEC}/method", "word2vek"),
    row(f"{WORD2VEC}/method", ["word2vec"]),
    row(f"{WORD2VEC}/source", 5),
    row(f"{WORD2VEC}/source", ["data/pools/sample-en"]),
    row(f"{WORD2VEC}/source", "data/pools/nowhere"),
    row(f"{WORD2VEC}/source", GONE),
    *(
        Kind(f"half of a character: {text}", replaced("params.yaml", "source: data", text), r"line \d+: .*half of")
        for text in (r'source: "\ud800" #', r'source: "\U0000DFFF" #', r'"\uD83D": "x" #')
    ),
    row(f"{WORD2VEC}/windows", 5),
    row(f"{WORD2VEC}/window", GONE),
    row(f"{WORD2VEC}/window", 0),
    row(f"{WORD2VEC}/window", 10**9),
    row(f"{WORD2VEC}/epochs", 0),
    row(f"{WORD2VEC}/epochs", 1.5),
    row(f"{WORD2VEC}/size", 0),
    row(f"{WORD2VEC}/size", -3),
    row(f"{WORD2VEC}/size", 10**9),
    row(f"{WORD2VEC}/negative", -1),
    row(f"{WORD2VEC}/sample", -1),
    row(f"{WORD2VEC}/sample", 10**400),
    row(f"{WORD2VEC}/min_count", 0),
    row(f"{WORD2VEC}/lowercase", "yes"),
    row(f"{WORD2VEC}/algorithm", "cbov"),
    row(f"{WORD2VEC}/unit", "letters"),
    row(f"{WORD2VEC}/seed", True),
    row(f"{WORD2VEC}/seed", [1]),
    row(f"{WORD2VEC}/seed", 2**32),
    row(f"{GLOVE}/learning_rate", INF),
    row(f"{GLOVE}/x_max", 0),
    Kind("vectors named like those of rows without any", has("vectors", {"none": {"method": "glove"}}), "vectors.none"),
    Kind("a name of vectors that leads elsewhere", has("vectors", {"../mine": {}}), "a name in vectors"),
    row("vectors/mine", {"method": "file", "source": "x.vec", "format": "glof"}, "format"),
    row("vectors/mine", {"method": "file", "source": "x.vec", "format": "glove", "corpora": ["nowhere"]}, "corpora"),
    row("vectors/mine", {"method": "file", "source": "x.vec", "format": "glove", "language": "fr"}, "language"),
    row("papers/fcsr", GONE),
    row("papers/fcsr", []),
    row("papers/fscr", {}),
    row("papers/fcsr/seed", [1]),
    row("papers/fcsr/seeds", GONE),
    row("papers/fcsr/seeds", []),
    row("papers/fcsr/seeds", 3),
    row("papers/fcsr/seeds", [1, 1]),
    row("papers/fcsr/seeds", [True]),
    row("papers/fcsr/seeds", [-1]),
    row("papers/fcsr/seeds", [2**32]),
    row("papers/fcsr/seeds", [[1]]),
    row("papers/fcsr/seeds", {"nowhere": [1]}),
    row("papers/fcsr/seeds", {"sample-en": 5}),
    row("papers/fcsr/seeds", [*range(2_000), 0]),
    row("papers/fcsr/epochs", "all"),
    row("papers/fcsr/epochs", -1),
    row("papers/fcsr/epochs", True),
    row("papers/fcsr/epochs", {"nowhere": 1}),
    row("papers/fcsr/epochs", 1.5),
    row("papers/fcsr/folds", [3]),
    row("papers/lama/folds", {"sample-en": 1}, "folds"),
    row("papers/lama/folds", {"sample-en": "3"}, "folds"),
    row("papers/lama/folds", {"sample-zh": 3}, "folds"),
    row("papers/fcsr/device", "gpu"),
    row("papers/fcsr/device", ["cpu"]),
    row("papers/survey/device", "gpu"),
    row("papers/fcsr/precision", "float16"),
    row("papers/fcsr/deterministic", 1),
    row("papers/fcsr/keep_weights", None),
    row("papers/fcsr/keep_weights", 3),
    row("papers/fcsr/keep_weights", "fcsr", "keep_weights"),
    row("papers/fcsr/keep_weights", ["fscr"], "keep_weights"),
    row("papers/fcsr/keep_weights", [["fcsr"]], "keep_weights"),
    row("cells/fcsr-table-3", None),
    row("cells/fcsr-table-3", ["fcsr"]),
    row("cells/fscr-table-3", {}),
    row("cells/a;b", {}, "a name in cells"),
    row("cells/fcsr-table-3/model", "bilstm"),
    row("cells/fcsr-table-3/corpus", "sample-zh"),
    row("cells/fcsr-table-3/rows", ["fcsr", "bilstmm"], "bilstmm"),
    row("cells/fcsr-table-3/rows", [{"fcsr": "bilstm"}], "unknown row of"),
    row("cells/fcsr-table-3/rows", {"fcsr": "bilstm"}),
    row("cells/fcsr-table-3/rows", 5),
    row("cells/fcsr-table-3/rows", GONE),
    row("cells/fcsr-table-3/columns", "sample-enn", "sample-enn"),
    row("cells/fcsr-table-3/columns", [["sample-en"]], "unknown column of"),
    row("cells/fcsr-table-3/columns", "mr", "unknown column of"),
    row("cells/fcsr-table-3/without", ["nobody"]),
    row("cells/fcsr-table-3/except", ["sample-en"]),
    row("cells/fcsr-table-3/except", {"sample-enn": []}),
    row("cells/fcsr-table-3/except", {"sample-en": 3}, "sample-en"),
    row("cells/fcsr-table-3/vectors", "nowhere"),
    row("cells/fcsr-table-3/vectors", ["sample-en.word2vec-50"]),
    row("cells/fcsr-table-3/vectors", 5),
    row("cells/fcsr-table-3/vectors", {"zh": "sample-zh.word2vec-characters-50"}),
    row("cells/fcsr-table-3/vectors", {"en": ["sample-en.word2vec-50"]}),
    row("cells/fcsr-table-3/vectors", "sample-zh.word2vec-characters-50", "embedding.unit|language"),
    row("corpus/name", "sst2"),
    row("corpus/name", ["sample-en"]),
    row("corpus/name", GONE),
    row("corpus/split", "test"),
    row("model", "fcsr"),
    row("model/name", "fscr"),
    row("model/name", ["fcsr"]),
    row("model/name", {"fcsr": 1}),
    row("model/alpha", 2),
    row("model/alpha", NAN),
    row("model/alpha", 10**400),
    row("model/alpha", date(2026, 1, 1)),
    row("model/alfa", 0.3),
    row("model/gate", ["relu"]),
    row("model/dropout", -0.5),
    row("model/dropout", 1.5),
    row("model/spread", INF),
    row("embedding/vectors", "nowhere"),
    row("embedding/vectors", ["none"]),
    row("embedding/vectors", 3),
    row("embedding/size", 0),
    row("embedding/size", 10**12),
    row("embedding/unit", None),
    row("embedding/unit", "characters"),
    row("embedding/tune", "yes"),
    row("embedding/spread", NAN),
    row("training/optimiser", "adamw"),
    row("training/learning_rate", INF),
    row("training/learning_rate", 0),
    row("training/weight_decay", NAN),
    row("training/weight_decay", -0.1),
    row("training/momentum", 1.5),
    row("training/epochs", 0),
    row("training/patience", True),
    row("training/batch_size", 2.5),
    row("training/batch_size", 0),
    row("training/clip", -1.0),
    row("training/heads", "per-domain"),
    row("training/max_words", -1),
    *(row(f"training/{name}", 10**30) for name in ("max_words", "epochs_max", "batch_size", "patience")),
    row("embedding/min_count", 10**30),
    row("papers/fcsr/epochs", 10**30),
    row("papers/fcsr/epochs", {"sample-en": 10**30}),
    row("papers/fcsr/training/batch_size", 10**30),
    row("papers/lama/folds", {"sample-en": 10**30}, "2 to 1000"),
    row("pools/sample-en/folds", 10**30),
    row("training/schedule", "cosine"),
    row("training", None),
    row("seed", True),
    row("seed", [1]),
    row("seed", -1),
    row("seed", 2**32),
    row("seed", "1"),
    row("seed", 1.0),
    row("device", ["cpu"]),
    row("device", "gpu"),
    row("precision", "float16"),
    row("precision", None),
)

PARAMS = Group(make, read, KINDS)
