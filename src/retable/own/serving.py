"""A model folder as a web service: JSON in and out, an OpenAPI page (/docs), and a page to enter a text."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from retable.files import HALF
from retable.own.batching import Batcher, Overloaded
from retable.own.model import MOST_WORDS, Answer, Model, answers_of

MOST_TEXTS = 1_000  # per request
LONGEST_TEXT = 20_000  # characters
MOST_BYTES = 4_000_000  # of a request body
SECONDS = 30.0  # timeout of a request
EXPECTED = {  # by path, for the sentence about another body
    "/predict": f'{{"texts": ["..."]}}, at most {MOST_TEXTS:,} texts of {LONGEST_TEXT:,} characters each',
    "/explain": f'{{"text": "..."}}, at most {LONGEST_TEXT:,} characters',
}
PAGE = Path(__file__).with_name("page.html")


def encodable(text: str) -> str:
    """Refuse half characters, which JSON can spell and UTF-8 cannot. Raises: ValueError."""
    if HALF.search(text):
        raise ValueError("the text contains half of a character (a surrogate)")
    return text


Text = Annotated[str, StringConstraints(max_length=LONGEST_TEXT), AfterValidator(encodable)]


class Texts(BaseModel):
    """Texts to classify."""

    texts: Annotated[list[Text], Field(max_length=MOST_TEXTS)]


class OneText(BaseModel):
    """A text to explain."""

    text: Text


class Refused(BaseModel):
    """One sentence: what is wrong with a request, and what to send."""

    detail: str


class Labelled(BaseModel):
    """A text's label and its probability; null and 0 for an empty text."""

    label: str | None
    probability: float


class Weighed(Labelled):
    """A text's answer, with a weight for each word."""

    words: list[tuple[str, float]]


def labelled(answer: Answer) -> Labelled:
    """Return an answer in the form that is sent."""
    return Labelled(label=answer.label, probability=answer.probability)


def sentence_of(error: RequestValidationError, path: str) -> str:
    """Return what is wrong first, where, and what to send; without the input, which may be long, or not be JSON."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        place, problem = f"character {first['loc'][-1]}", "it is not JSON"
    else:
        place, problem = ".".join(map(str, first["loc"])), first["msg"][0].lower() + first["msg"][1:]
    return f"{place}: {problem}; send {EXPECTED[path]}"


def service(model: Model) -> FastAPI:
    """Return the service of a model."""
    batcher = Batcher(model.probabilities)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        model.predict(["ready"])  # the first text loads the tokeniser, which takes seconds
        batcher.start()
        yield
        await batcher.stop()

    app = FastAPI(title="A text classifier by retable", redoc_url=None, lifespan=lifespan)

    @app.middleware("http")
    async def bounded(request: Request, follow):  # type: ignore[no-untyped-def]
        length = request.headers.get("content-length")
        if request.method == "POST" and (length is None or not length.isdigit() or int(length) > MOST_BYTES):
            sentence = f"the body must state its length, at most {MOST_BYTES:,} bytes"
            return JSONResponse({"detail": sentence}, status_code=413)
        response: Response = await follow(request)
        response.headers["Content-Security-Policy"] = POLICY_OF_DOCS if request.url.path == "/docs" else POLICY
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response

    @app.exception_handler(RequestValidationError)
    async def refused(request: Request, error: RequestValidationError) -> JSONResponse:
        return JSONResponse({"detail": sentence_of(error, request.url.path)}, status_code=422)

    async def asked(texts: list[str]) -> list[Answer]:
        try:
            found = await asyncio.wait_for(batcher.ask(texts), SECONDS)
        except Overloaded:
            raise HTTPException(503, "too many texts are waiting; try again later", {"Retry-After": "1"}) from None
        except TimeoutError:
            raise HTTPException(504, f"no answer within {SECONDS:g} seconds; send fewer or shorter texts") from None
        return answers_of(found, model.labels)

    @app.post("/predict", responses=REFUSED)
    async def predict(given: Texts) -> list[Labelled]:
        """Classify texts, in their order."""
        return [labelled(answer) for answer in await asked(given.texts)] if given.texts else []

    @app.post("/explain", responses=REFUSED)
    async def explain(given: OneText) -> Weighed:
        """Classify a text and weight its words: each word is left out, and the model predicts again."""
        if len(model.words(given.text)) > MOST_WORDS:
            raise HTTPException(422, f"the text has more than {MOST_WORDS} words, too many to explain")
        answer = (await asked([given.text]))[0]
        loop = asyncio.get_running_loop()
        words = await loop.run_in_executor(batcher.thread, model.explain, given.text)
        return Weighed(**labelled(answer).model_dump(), words=[(word, weight) for word, weight in words])

    @app.get("/health")
    async def health() -> dict[str, str]:
        """Report that the service is running."""
        return {"status": "ok"}

    @app.get("/ready")
    async def ready() -> dict[str, object]:
        """Classify one text, and return the labels."""
        await asked(["ready"])
        return {"status": "ok", "labels": model.labels}

    @app.get("/", response_class=HTMLResponse)
    async def page() -> str:
        """Return the page to enter a text."""
        return PAGE.read_text(encoding="utf-8")

    return app


REFUSED: dict[int | str, dict[str, object]] = {422: {"model": Refused}}
POLICY = "default-src 'self' 'unsafe-inline'; img-src data:; frame-ancestors 'none'"

# FastAPI's page loads its scripts from a public host.
POLICY_OF_DOCS = "default-src 'self' 'unsafe-inline' https://cdn.jsdelivr.net https://fastapi.tiangolo.com data:"
