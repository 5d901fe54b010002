"""Measure memory and speed of `retable predict`, and of `retable serve` against a bare FastAPI route.

    python -m benchmarks.own mr-model [--lines 1000000] [--only memory speed serve]

memory  peak RSS of `retable predict FOLDER -` on many lines, as counted by the kernel for the child process
speed   100,000 short texts: all of `Model.probabilities` against its forward passes alone (a network's folder)
serve   one text per request at 20 and at 200 requests a second, from Debian's `hey` on this machine; the peer is the
        same model behind one FastAPI route, without batches, limits or a page; both are called in turns
"""

import argparse
import json
import random
import re
import resource
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

WORDS = ["the", "film", "and", "its", "story", "was", "so", "very", "much", "fine", "dull", "that", "we", "said", "of"]
PORTS = {"retable serve": 8431, "bare FastAPI": 8432}
RATES = {20: 2, 200: 20}  # requests a second -> number of connections of hey, which share the rate
SECONDS = 8


def sentences(count: int) -> Iterator[str]:
    """Yield texts of 5 to 20 words."""
    draw = random.Random(1)
    for _ in range(count):
        yield " ".join(draw.choices(WORDS, k=draw.randint(5, 20)))


def memory(folder: Path, lines: int) -> None:
    """Print the peak memory of a child process that predicts many lines."""
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "retable", "predict", str(folder), "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as child:
        assert child.stdin is not None
        for text in sentences(lines):
            child.stdin.write(f"{text}\n".encode())
        child.stdin.close()
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6
    print(f"memory: {lines:,} lines, peak {peak:,.0f} MB, {time.perf_counter() - start:.0f} s, exit {child.returncode}")


def speed(folder: Path, count: int = 100_000) -> None:
    """Print how much longer prediction takes than its forward passes."""
    from retable.own.model import load

    model = load(folder)
    network: Any = getattr(model.kept.classifier, "network", None)
    if network is None:
        print("speed: this folder holds no network")
        return
    forward, spent = network.forward, [0.0]

    def timed(*inputs: Any) -> Any:
        start = time.process_time()
        found = forward(*inputs)
        spent[0] += time.process_time() - start
        return found

    network.forward = timed
    texts = list(sentences(count))
    model.predict(texts[:1000])
    spent[0], start = 0.0, time.process_time()
    for first in range(0, count, 1000):  # as `retable predict` does
        model.predict(texts[first : first + 1000])
    whole = time.process_time() - start
    print(f"speed: {count:,} texts {whole:.1f} s of CPU, forward passes {spent[0]:.1f} s, ratio {whole / spent[0]:.2f}")


def peer(folder: Path, port: int) -> None:
    """Serve the model through one bare route."""
    import uvicorn
    from fastapi import FastAPI

    from retable.own.model import load

    app, model = FastAPI(), load(folder)

    @app.post("/predict")
    def predict(given: dict[str, list[str]]) -> list[dict[str, Any]]:
        return [answer._asdict() for answer in model.predict(given["texts"])]

    uvicorn.run(app, port=port, log_level="warning", access_log=False)


@contextmanager
def serving(words: list[str], port: int) -> Iterator[None]:
    """Run a server for the duration of the block, which starts once the server answers."""
    with subprocess.Popen([sys.executable, *words]) as child:
        try:
            while child.poll() is None and not answers(port):
                time.sleep(0.5)
            yield
        finally:
            child.terminate()


def answers(port: int) -> bool:
    """Return whether a server answers a text."""
    asked = urllib.request.Request(
        f"http://127.0.0.1:{port}/predict", b'{"texts": ["a film"]}', {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(asked, timeout=20):
            return True
    except OSError:
        return False


def serve(folder: Path) -> None:
    """Print response times at two rates, ours and the peer's in turns."""
    if shutil.which("hey") is None:
        print("serve: hey is missing (apt-get install hey)")
        return
    ours = ["-m", "retable", "serve", str(folder), "--port", str(PORTS["retable serve"])]
    theirs = ["-m", "benchmarks.own", str(folder), "--peer", str(PORTS["bare FastAPI"])]
    body = json.dumps({"texts": [next(sentences(1))]})
    with serving(ours, PORTS["retable serve"]), serving(theirs, PORTS["bare FastAPI"]):
        for rate, connections in RATES.items():
            for name, port in PORTS.items():
                output = subprocess.run(
                    ["hey", "-z", f"{SECONDS}s", "-q", str(rate // connections), "-c", str(connections), "-m", "POST",
                     "-T", "application/json", "-d", body, f"http://127.0.0.1:{port}/predict"],
                    capture_output=True, text=True, check=True,
                ).stdout  # fmt: skip
                quantiles = {q: 1000 * float(s) for q, s in re.findall(r"(\d+)% in ([\d.]+) secs", output)}
                statuses = dict(re.findall(r"\[(\d+)\]\s+(\d+) responses", output))
                failed = ", errors" if "Error distribution" in output else ""
                times = ", ".join(f"p{quantile} {quantiles[quantile]:.0f} ms" for quantile in ("50", "95"))
                print(f"serve: {name}, {rate} requests a second: {times}, answers {statuses}{failed}")


def main() -> None:
    parser = argparse.ArgumentParser(description="How a model folder answers.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--only", nargs="*", default=["memory", "speed", "serve"])
    parser.add_argument("--peer", type=int, help="serve the peer on this port, and nothing else")
    options = parser.parse_args()
    if options.peer:
        peer(options.folder, options.peer)
        return
    if "memory" in options.only:
        memory(options.folder, options.lines)
    if "speed" in options.only:
        speed(options.folder)
    if "serve" in options.only:
        serve(options.folder)


if __name__ == "__main__":
    main()
