"""Gather the training texts of one pool, without any text that a corpus holds out for dev or test.

In   data/tagged/<corpus>/train.parquet of the pool's corpora, data/clean/<corpus>/heldout.txt of all in params.yaml
Out  data/pools/<pool>/{texts.parquet,pool.json}

The pools stand in the section pools of params.yaml; one named like a corpus is that corpus's training split.
"""

import argparse

import pyarrow.parquet as pq

from pipeline.command import command
from pipeline.params import read_params
from pipeline.paths import CLEAN, POOLS, TAGGED
from pipeline.progress import progress
from retable.corpora import CORPORA
from retable.errors import unknown_name
from retable.files import atomic_folder, write_json
from retable.text.splits import read_facts
from retable.vectors.pool import build_pool, read_held_out


@command
def main(name: str) -> None:
    pools = {corpus: {"corpora": [corpus]} for corpus in CORPORA} | read_params("pools")
    if name not in pools:
        raise unknown_name("a pool", name, pools)
    corpora = pools[name]["corpora"]
    unknown = next((corpus for corpus in corpora if corpus not in CORPORA), None)
    if unknown is not None:
        raise unknown_name(f"a corpus of pools.{name} in params.yaml", unknown, CORPORA)
    sources = [TAGGED / corpus / "train.parquet" for corpus in corpora]
    for source in sources:
        read_facts(source)  # says what to do if the file is missing
    held_out = read_held_out({corpus: CLEAN / corpus / "heldout.txt" for corpus in read_params("corpora")})
    texts = sum(pq.read_metadata(source).num_rows for source in sources)
    with progress(f"pool {name}", texts, "texts") as bar, atomic_folder(POOLS / name) as folder:
        facts = build_pool(sources, held_out, folder / "texts.parquet", on_texts=bar.advance)
        write_json(folder / "pool.json", {"name": name, "corpora": corpora, **facts})
        bar.note = f"({facts['words']:,} words kept)"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pool")
    main(parser.parse_args().pool)
