"""The commands of docs/your-own-texts.md do what the page says, on small files in the form of the three corpora."""

import os
import random
import re
import shlex
from pathlib import Path

from tests.programs import python

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
    lines, commands = block[1].split("\nEOF\n")
    variables = os.environ | {
        "RETABLE_MIRROR": str(tmp_path / "mirror"), "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "120"
    }  # fmt: skip
    empty, printed = tmp_path / "empty", ""
    empty.mkdir()
    assert lines.startswith("python - <<'EOF'\n")
    made = python("-c", lines.partition("\n")[2], cwd=empty, variables=variables)
    assert made.returncode == 0, made.stderr
    *trainings, asked = commands.splitlines()
    assert len(trainings) == commands.count("--budget 2m") == 3
    echo, _, asking = asked.partition(" | ")
    for line, given in (*((each.replace("2m", "1s --device cpu"), "") for each in trainings), (asking, echo)):
        name, *arguments = shlex.split(line)
        assert name == "retable"
        text = " ".join(shlex.split(given)[1:])
        found = python("-m", name, *arguments, cwd=empty, variables=variables, given=f"{text}\n")
        assert found.returncode == 0, found.stderr
        printed += found.stdout
    assert len(re.findall(r"classifies [\d.]+ \([\d.]+ to [\d.]+\) % of \d+ test texts correctly", printed)) == 3
    assert "language: Chinese" in printed
    assert "Left out: 1 text, label with fewer than 3 texts." in printed
    assert re.search(r'^grain,[\d.]+,"\[\[""grain""', printed, re.MULTILINE)
    models = {path.name for path in empty.iterdir() if path.name.endswith("-model")}
    assert models == {"hotels-model", "pairs-model", "news-model"}
