"""Take the pictures of docs/mlflow.md: `retable ui` on a record with a few focus runs, in Chromium.

    make tables SCALE=smoke; dvc exp run evaluate -S model.alpha=0.8; retable ui --port 5077 &
    python -m benchmarks.ui_pictures http://127.0.0.1:5077

Chromium is driven by chromedriver over HTTP (W3C WebDriver). Each picture is reduced to a palette and under 150 KB.
"""

import base64
import io
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import requests
from PIL import Image

from retable.tracking.experiments import link

DRIVER, PORT, SIZE = "chromedriver", 9577, "1500,900"
OUT = Path(__file__).resolve().parents[1] / "docs/mlflow"
QUIET = "for (const key of Object.keys(localStorage)) if (key.includes('panelOpen')) localStorage.setItem(key, 'false')"
ALL = "[...document.querySelectorAll('*')]"
DIFFERING = f"{ALL}.filter(e => !e.children.length && e.textContent == 'Show diff only').forEach(e => e.click())"
PARAMETERS = f"{ALL}.filter(e => e.textContent.trim() == 'Parameters').pop()?.scrollIntoView()"
STARTED_S = 60
LOADED_S = 12  # a page of the UI sends several requests
COLOURS, LARGEST = 64, 150_000  # bytes


class Browser:
    """Control a headless Chromium."""

    def __init__(self) -> None:
        self.driver = subprocess.Popen([DRIVER, f"--port={PORT}"], stdout=subprocess.DEVNULL)
        time.sleep(2)
        options = {"args": ["--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={SIZE}"]}
        wanted = {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}}
        self.session = ""
        self.session = f"/{self.call('POST', '', wanted)['sessionId']}"

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Return chromedriver's response."""
        address = f"http://127.0.0.1:{PORT}/session{self.session}{path}"
        answer = requests.request(method, address, json=body, timeout=120)
        answer.raise_for_status()
        return answer.json()["value"]

    def run(self, script: str) -> Any:
        """Return the result of a script on the page."""
        return self.call("POST", "/execute/sync", {"script": script, "args": []})

    def open(self, address: str) -> None:
        """Open a page of the UI and wait until it has loaded."""
        self.call("POST", "/url", {"url": "about:blank"})
        self.call("POST", "/url", {"url": address})
        time.sleep(LOADED_S)

    def picture(self, name: str) -> None:
        """Write a screenshot."""
        found = Image.open(io.BytesIO(base64.b64decode(self.call("GET", "/screenshot")))).convert("RGB")
        OUT.mkdir(parents=True, exist_ok=True)
        path = OUT / f"{name}.png"
        found.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
        print(path, path.stat().st_size)
        if path.stat().st_size > LARGEST:
            sys.exit(f"{path} is larger than {LARGEST} bytes")

    def close(self) -> None:
        """Close the browser and the driver."""
        self.call("DELETE", "")
        self.driver.terminate()


def ask(root: str, path: str, **body: Any) -> Any:
    """Return the response of MLflow's REST interface."""
    answer = requests.post(f"{root}/api/2.0/mlflow/{path}", json=body, timeout=60)
    answer.raise_for_status()
    return answer.json()


def wait_for(root: str) -> None:
    """Wait until the server, which takes some seconds to start, answers."""
    for _ in range(STARTED_S):
        try:
            if requests.get(f"{root}/health", timeout=5).ok:
                return
        except requests.ConnectionError:
            time.sleep(1)
    sys.exit(f"nothing answers at {root}; `retable ui` starts the server")


def main() -> None:
    root = sys.argv[1]
    wait_for(root)
    ids = {
        each["name"]: each["experiment_id"] for each in ask(root, "experiments/search", max_results=50)["experiments"]
    }
    runs = ask(root, "runs/search", experiment_ids=[ids["focus"]], max_results=10)["runs"]
    whole = [each["info"]["run_id"] for each in runs if each["info"]["status"] == "FINISHED"][:2]
    browser = Browser()
    try:
        browser.open(root)
        browser.run(QUIET)
        browser.open(link(root, ids["focus"]))
        browser.picture("focus")
        asked = f"runs={json.dumps(whole)}&experiments={json.dumps([ids['focus']])}"
        browser.open(f"{root}/#/compare-runs?{asked}&workflowType=machine_learning")
        browser.run(DIFFERING)
        time.sleep(3)
        browser.run(PARAMETERS)  # below the plots, which show nothing for two runs
        time.sleep(1)
        browser.picture("compare")
        browser.open(f"{link(root, ids['focus'])}&compareRunsMode=CHART")
        browser.picture("charts")
    finally:
        browser.close()


if __name__ == "__main__":
    main()
