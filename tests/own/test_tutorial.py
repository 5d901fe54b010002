"""The commands of docs/your-own-texts.md do what the page says, on small files in the form of the three corpora."""

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXTS = 40  # per label


def small_mirror(folder: Path) -> None:
    """Write the first lines of the corpora that the tutorial reads, with made-up texts."""
    draw = random.Random(1)

    def text(marks: str, joint: str, words: int = 9) -> str:
        return joint.join(draw.choice(marks) for _ in range(words))

    hotels = [
        f"{stars}\t房间{text('很干净的服务也好吃大小', '')}{word}"
        for stars, word in ("1好", "0差")
        for _ in range(TEXTS)
    ]
    pairs = [
        f"{number}\tA man is {text('abcdefgh', ' ')}\tA man is {word} {text('abcdefgh', ' ')}\t3.5\t{label}"
        for word, label in (("not", "CONTRADICTION"), ("also", "ENTAILMENT"), ("there", "NEUTRAL"))
        for number in range(TEXTS)
    ]
    news = [f"{topic}\t{topic} {text('abcdefghij', ' ', 12)}" for topic in ("grain", "ship") for _ in range(TEXTS)]
    for name, lines in {
        "chnsenticorp/train.tsv": ["label\ttext_a", *hotels],
        "sick/SICK_train.txt": ["pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment", *pairs],
        "r52/train.txt": [*news, "jet\tone text of a rare topic"],
    }.items():
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_the_commands_of_the_tutorial(tmp_path: Path) -> None:
    small_mirror(tmp_path / "mirror")
    page = (ROOT / "docs/your-own-texts.md").read_text(encoding="utf-8")
    block = re.search(r"```bash\n(.*?)```", page, re.DOTALL)
    assert block is not None
    commands = block[1].replace("--budget 2m", "--budget 1s --device cpu")
    assert commands.count("--budget 1s") == 3
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {
        "RETABLE_MIRROR": str(tmp_path / "mirror"), "PYTHONPATH": str(ROOT / "src"), "PATH": path, "COLUMNS": "120"
    }  # fmt: skip
    (tmp_path / "empty").mkdir()
    bash = shutil.which("bash")
    assert bash is not None
    found = subprocess.run(
        [bash, "-c", f'set -euo pipefail\nretable() {{ "{sys.executable}" -m retable "$@"; }}\n{commands}'],
        cwd=tmp_path / "empty", capture_output=True, text=True, encoding="utf-8", env=os.environ | environment,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert len(re.findall(r"classifies [\d.]+ \([\d.]+ to [\d.]+\) % of \d+ test texts correctly", found.stdout)) == 3
    assert "language: Chinese" in found.stdout
    assert "Left out: 1 text, label with fewer than 3 texts." in found.stdout
    assert re.search(r'^grain,[\d.]+,"\[\[""grain""', found.stdout, re.MULTILINE)
    models = {path.name for path in (tmp_path / "empty").iterdir() if path.name.endswith("-model")}
    assert models == {"hotels-model", "pairs-model", "news-model"}
