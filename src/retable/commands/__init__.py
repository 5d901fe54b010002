"""The commands of `retable`, one module each."""

# name -> (module of retable.commands whose main(arguments) is called, help)
COMMANDS = {
    "fit": ("fit", "train a model on your own texts: retable fit reviews.csv --text review --label stars"),
    "predict": ("predict", "classify texts with a model folder: retable predict reviews-model new.csv"),
    "serve": ("serve", "classify texts over HTTP with a model folder: retable serve reviews-model"),
    "onnx": ("onnx", "write a model folder's network as ONNX: retable onnx reviews-model"),
    "init": ("init", "create a project in an empty folder, from an installed wheel: retable init project"),
    "list": ("list_", "list the tables, models, corpora, scales and commands: retable list models"),
    "make": ("make", "run the whole pipeline, as `make tables` does: retable make --scale smoke"),
    "run": ("run", "train the cells of a table that have no current runs: retable run fcsr-table-3 fcsr sst-2"),
    "add-corpus": (
        "add_corpus",
        "add your own texts to the pipeline as a corpus: retable add-corpus x.csv --name mine",
    ),
    "use": ("use", "choose the model and corpus of the focus run: retable use textcnn mr"),
    "params": ("params", "write a scale into params.yaml: retable params cpu"),
    "tables": ("tables", "build every table from files, or from MLflow: retable tables --from mlflow"),
    "check": ("check", "compare measured scores with published and banked ones; exit code 1 on a regression"),
    "bank": ("bank", "add the current local runs to the bank in docs/results/, and rewrite its pages"),
    "results": ("results", "write every table, figure, claim and page from the bank; needs no data"),
    "verdicts": ("verdicts", "test your predictions against every banked row: retable verdicts sst-2 --from mine.csv"),
    "export": (
        "export",
        "write tables or all predictions for other programs: retable export --format latex --to tables",
    ),
    "site": ("site", "build the results site from the bank: retable site --out site"),
    "docs": ("docs", "update the numbers in docs/ about corpora, word vectors and parts of speech"),
    "import": ("import_", "import runs made on another machine: retable import DIR"),
    "record": ("record", "complete the MLflow record"),
    "ui": ("ui", "show the MLflow record"),
    "stage": ("stage", "run one stage of dvc.yaml: retable stage clean sst-2"),
}
ANYWHERE = ("fit", "predict", "serve", "onnx", "init", "list")  # commands that need no project
