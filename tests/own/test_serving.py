"""The service gives the model's answers, batched and in order, and refuses oversized requests."""

import asyncio
import random

import numpy as np
import pytest
from fastapi.testclient import TestClient

from retable.own.batching import Batcher, Overloaded
from retable.own.fit import fit
from retable.own.model import Model, load
from retable.own.serving import LONGEST_TEXT, MOST_BYTES, MOST_TEXTS, MOST_WORDS, service

NASTY = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    draw = random.Random(3)
    folder = tmp_path_factory.mktemp("serving")
    lines = [
        f"{' '.join(draw.choices('abcdefghij', k=9))} {word}\t{word}" for word in ("yes", NASTY) for _ in range(40)
    ]
    (folder / "votes.tsv").write_text("\n".join(["text\tlabel", *lines]) + "\n", encoding="utf-8")
    return load(fit(folder / "votes.tsv", model="naive-bayes").folder)


@pytest.fixture(scope="module")
def client(model: Model):
    with TestClient(service(model)) as client:
        yield client


def test_it_answers_as_the_model_does(client: TestClient, model: Model) -> None:
    texts = ["a b yes", "", f"c d {NASTY}"]
    answers = client.post("/predict", json={"texts": texts}).json()
    assert [(each["label"], each["probability"]) for each in answers] == [tuple(each) for each in model.predict(texts)]
    assert client.post("/predict", json={"texts": []}).json() == []


def test_words_are_weighed(client: TestClient, model: Model) -> None:
    found = client.post("/explain", json={"text": "a b yes"}).json()
    assert found["label"] == "yes"
    assert [tuple(each) for each in found["words"]] == [tuple(each) for each in model.explain("a b yes")]
    assert client.post("/explain", json={"text": " "}).json() == {"label": None, "probability": 0.0, "words": []}


def test_it_says_that_it_is_well_and_ready(client: TestClient) -> None:
    assert client.get("/health").json() == {"status": "ok"}
    assert client.get("/ready").json() == {"status": "ok", "labels": [NASTY, "yes"]}


def test_the_page_takes_nothing_from_elsewhere_and_writes_no_markup(client: TestClient) -> None:
    page = client.get("/")
    assert "innerHTML" not in page.text
    assert "http" not in page.text.replace("http-equiv", "")
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert client.get("/openapi.json").json()["paths"].keys() >= {"/predict", "/explain", "/health", "/ready"}


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/predict", {"texts": ["a"] * (MOST_TEXTS + 1)}, 422),
        ("/predict", {"texts": ["a" * (LONGEST_TEXT + 1)]}, 422),
        ("/predict", {"texts": "a"}, 422),
        ("/predict", {"texts": [1]}, 422),
        ("/predict", {"texts": [None]}, 422),
        ("/predict", {}, 422),
        ("/explain", {"text": "a " * (MOST_WORDS + 1)}, 422),
        ("/predict", {"texts": ["a" * 20_000] * (MOST_BYTES // 20_000)}, 413),
        ("/nowhere", {}, 404),
    ],
)
def test_what_is_too_much_or_wrong_is_refused(path: str, body: object, status: int, client: TestClient) -> None:
    assert client.post(path, json=body).status_code == status


@pytest.mark.parametrize(
    "body", ['{"texts": ["\\ud800"]}', '{"texts": [NaN]}', '{"texts": [1e999]}', "[]", '{"texts": 5']
)
def test_what_is_no_text_is_refused_without_being_repeated(body: str, client: TestClient) -> None:
    answer = client.post("/predict", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert set(answer.json()) == {"detail"}
    assert body not in answer.json()["detail"]


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("/predict", '{"texts": 5}', 'body.texts: input should be a valid list; send {"texts": ["..."]}, at most '),
        ("/predict", '{"texts": ["a", 1, 2]}', "body.texts.1: input should be a valid string; send"),
        ("/predict", '{"text": "a"}', 'body.texts: field required; send {"texts": ["..."]}'),
        ("/predict", '{"texts": 5', 'character 11: it is not JSON; send {"texts": ["..."]}'),
        ("/predict", "", 'body: field required; send {"texts": ["..."]}'),
        ("/explain", '{"texts": ["a"]}', 'body.text: field required; send {"text": "..."}, at most 20,000 characters'),
    ],
)
def test_a_wrong_body_gets_one_sentence_with_the_form_to_send(
    path: str, body: str, sentence: str, client: TestClient
) -> None:
    """It was a list of pydantic's errors."""
    answer = client.post(path, content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(sentence)


def test_the_interface_describes_the_sentence(client: TestClient) -> None:
    described = client.get("/openapi.json").json()["paths"]["/predict"]["post"]["responses"]["422"]
    assert described["content"]["application/json"]["schema"]["$ref"].endswith("/Refused")


def test_the_pages_of_the_service_hold_no_name_of_the_model(client: TestClient) -> None:
    assert client.get("/docs").status_code == 200
    assert client.get("/redoc").status_code == 404
    assert client.get("/openapi.json").json()["info"]["title"] == "A text classifier by retable"


def test_what_waits_together_is_answered_together_and_in_order() -> None:
    sizes: list[int] = []

    def answer(texts):
        sizes.append(len(texts))
        return np.array([[float(text)] for text in texts])

    async def ask() -> list[np.ndarray]:
        batcher = Batcher(answer, most=4)
        asked = [
            asyncio.create_task(batcher.ask([str(3 * n), str(3 * n + 1), str(3 * n + 2)][: n + 1])) for n in range(3)
        ]
        await asyncio.sleep(0)  # all of them wait before the first is answered
        batcher.start()
        found = await asyncio.gather(*asked)
        await batcher.stop()
        return found

    found = asyncio.run(ask())
    assert [rows.ravel().tolist() for rows in found] == [[0.0], [3.0, 4.0], [6.0, 7.0, 8.0]]
    assert sizes == [3, 3]  # a third request would make six


def test_more_than_may_wait_is_refused_and_an_error_reaches_who_asked_alone() -> None:
    def answer(texts):
        if "bad" in texts:
            raise ValueError("bad text")
        return np.ones((len(texts), 1))

    async def ask() -> None:
        batcher = Batcher(answer, waiting=2)
        with pytest.raises(Overloaded):
            await batcher.ask(["a", "b", "c"])
        batcher.start()
        with pytest.raises(ValueError, match="bad text"):
            await batcher.ask(["bad"])
        assert (await batcher.ask(["good"])).tolist() == [[1.0]]
        await batcher.stop()

    asyncio.run(ask())
