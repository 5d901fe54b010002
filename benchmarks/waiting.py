"""Measure FCSR's step with two threads, by how long a thread spins before it sleeps (libgomp).

    python -m benchmarks.waiting [--seconds 5] [--rounds 3] [--busy 0]

Two threads that spin wait for each other when other programs use the processors. --busy starts that many of these;
programs already running count too, and are reported as the load. The last column is a digest of the weights after
three steps: it must be the same in every line.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import time

SETTINGS = {
    "as it is": {},
    "GOMP_SPINCOUNT=100000": {"GOMP_SPINCOUNT": "100000"},
    "GOMP_SPINCOUNT=30000": {"GOMP_SPINCOUNT": "30000"},
    "GOMP_SPINCOUNT=10000": {"GOMP_SPINCOUNT": "10000"},
    "GOMP_SPINCOUNT=1000": {"GOMP_SPINCOUNT": "1000"},
    "OMP_WAIT_POLICY=PASSIVE": {"OMP_WAIT_POLICY": "PASSIVE"},
}
TEXTS, WORDS, DIM, CLASSES = 50, 20, 300, 2


def measure(seconds: float) -> None:
    """Train FCSR for this many seconds; print words per second and the digest."""
    import torch
    from torch.nn.functional import cross_entropy

    from retable.experiments.scale import model_preset
    from retable.layers.embedding import WordEmbedding
    from retable.layers.network import Task
    from retable.models import network_class

    torch.manual_seed(1)
    options = {name: value for name, value in model_preset("fcsr")["model"].items() if name != "name"}
    network = network_class("fcsr").build(
        WordEmbedding(torch.randn(1000, DIM), tuned=1000, sparse=False), Task(("a", "b")), options
    )
    words, classes = torch.randint(2, 1000, (TEXTS, WORDS)), torch.randint(CLASSES, (TEXTS,))
    mask, optimiser = torch.ones(TEXTS, WORDS, dtype=torch.bool), torch.optim.Adam(network.parameters())
    steps, digest, start = 0, "", time.monotonic()
    while (took := time.monotonic() - start) < seconds or steps < 3:
        cross_entropy(network(words, mask), classes).backward()
        optimiser.step()
        optimiser.zero_grad()
        steps += 1
        if steps == 3:
            weights = b"".join(each.detach().numpy().tobytes() for each in network.parameters())
            digest, start = hashlib.sha256(weights).hexdigest()[:12], time.monotonic()
    print(f"{(steps - 3) * TEXTS * WORDS / took:.0f} {digest}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.waiting", description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--settings", nargs="*", choices=SETTINGS, default=list(SETTINGS))
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        return measure(options.seconds)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.busy)]
    try:
        for turn in range(options.rounds):
            for name in options.settings:
                kept = {key: value for key, value in os.environ.items() if not key.startswith(("OMP_", "GOMP_"))}
                words = [sys.executable, "-m", "benchmarks.waiting", "--measure", "--seconds", str(options.seconds)]
                said = subprocess.run(
                    words,
                    env=kept | {"OMP_NUM_THREADS": "2"} | SETTINGS[name],
                    capture_output=True,
                    text=True,
                    check=True,
                ).stdout
                rate, digest = said.split()
                print(f"{turn + 1}  {name:24}{rate:>8} words/s  load {os.getloadavg()[0]:4.1f}  {digest}", flush=True)
    finally:
        for process in busy:
            process.kill()


if __name__ == "__main__":
    main()
