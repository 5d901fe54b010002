"""Make word vectors: train them on a pool, read a published file (docs/vectors.md), or none.

In   `source`: data/pools/<pool>/ for `method: word2vec` and `glove`, a published file for `method: file`; with
     `corpora`, only the words in their data/tagged/ are kept from the file
Out  data/vectors/<name>/{vectors.npy,words.txt,vectors.json}; if the pool has folds also fold-1-of-3/ ..., a set
     trained on the training texts of that fold
"""

from retable.errors import unknown_name
from retable.experiments.digests import seal_vectors
from retable.experiments.embedding import METHODS, folds_of_pool, made
from retable.experiments.lock import tell_of_lock
from retable.files import atomic_folder
from retable.project.command import command
from retable.project.params import read_params
from retable.project.paths import VECTORS
from retable.vectors.store import write_vectors


@command
def main(name: str) -> None:
    known = {"none": {"method": "none"}} | read_params("vectors")
    if name not in known:
        raise unknown_name("word vectors", name, known)
    options = dict(known[name])
    method = options.pop("method")
    if method not in METHODS:
        raise unknown_name(f"vectors.{name}.method in params.yaml", method, METHODS)
    source = str(options.get("source", ""))
    digests = {}
    with atomic_folder(VECTORS / name) as folder:
        for fold in ("", *folds_of_pool(source)):
            (folder / fold).mkdir(exist_ok=True)
            write_vectors(
                folder / fold, name, made(name, method, options | ({"source": f"{source}/{fold}"} if fold else {}))
            )
            digests[f"{name}/{fold}".rstrip("/")] = seal_vectors(folder / fold)
    tell_of_lock("vectors", digests)
