"""`retable serve FOLDER`: serve a model that `retable fit` made over HTTP."""

from retable.project.command import check_free, command, given_path, given_port
from retable.project.memory import keep_few_kernels
from retable.project.parser import Parser

EXAMPLE = "example: retable serve reviews-model --port 8000"


@command
def main(arguments: list[str] | None = None) -> None:
    parser = Parser(
        prog="retable serve", description="Classify texts over HTTP, with a page to enter a text.", epilog=EXAMPLE
    )
    parser.add_argument("folder", type=given_path, help="a model folder")
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1, this machine only)"
    )
    parser.add_argument("--port", type=given_port, default=8000, help="port to listen on (default: 8000)")
    parser.add_device("where networks run")
    options = parser.parse_args(arguments)
    check_free(options.host, options.port, "choose another --port or --host")
    keep_few_kernels()
    # Importing torch takes seconds: a misspelt option should fail before.
    import uvicorn

    from retable.own.model import load
    from retable.own.serving import service

    app = service(load(options.folder, device=options.device))
    print(f"http://{options.host}:{options.port} classifies texts; Ctrl-C stops it", flush=True)
    uvicorn.run(
        app, host=options.host, port=options.port, log_level="warning", access_log=False, timeout_graceful_shutdown=10
    )
