"""The commands of `retable`, one module each."""

# name -> (module of retable.commands whose main(arguments) is called, help)
COMMANDS = {
    "fit": ("fit", "learn from your own texts: retable fit reviews.csv --text review --label stars"),
    "predict": ("predict", "answer texts with a model folder: retable predict reviews-model new.csv"),
    "serve": ("serve", "answer texts over HTTP with a model folder: retable serve reviews-model"),
    "onnx": ("onnx", "write a model folder's network as ONNX: retable onnx reviews-model"),
    "init": ("init", "make a project in an empty folder, with an installed wheel: retable init project"),
    "list": ("list_", "name the tables, models, corpora, scales and commands: retable list models"),
    "make": ("make", "run the whole pipeline, as `make tables` does: retable make --scale smoke"),
    "run": ("run", "train the cells of a table that have no current runs: retable run fcsr-table-3 fcsr sst-2"),
    "add-corpus": (
        "add_corpus",
        "make your own texts a corpus of the pipeline: retable add-corpus x.csv --name mine",
    ),
    "use": ("use", "make a model on a corpus the focus run: retable use textcnn mr"),
    "params": ("params", "write a scale into params.yaml: retable params cpu"),
    "tables": ("tables", "build every table from files, or from MLflow: retable tables --from mlflow"),
    "check": ("check", "compare measured with published, and with the bank; exit code 1 on a regression"),
    "bank": ("bank", "add the runs at hand to the bank in docs/results/, and write its pages anew"),
    "results": ("results", "write every table, figure, claim and page from the bank; no data are needed"),
    "verdicts": ("verdicts", "test your predictions against every banked row: retable verdicts sst-2 --from mine.csv"),
    "export": (
        "export",
        "write tables or all predictions for other programs: retable export --format latex --to tables",
    ),
    "site": ("site", "build the results site from the bank: retable site --out site"),
    "docs": ("docs", "renew the figures in docs/ about corpora, word vectors and parts of speech"),
    "import": ("import_", "take runs that were made on another machine: retable import DIR"),
    "record": ("record", "make the MLflow record complete"),
    "ui": ("ui", "show the MLflow record"),
    "completion": ("completion", "complete commands in a shell: retable completion bash"),
    "stage": ("stage", "run one stage of dvc.yaml: retable stage clean sst-2"),
}
ANYWHERE = ("fit", "predict", "serve", "onnx", "init", "list", "completion")  # commands that need no project
