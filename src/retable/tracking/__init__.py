"""The record of every run in an MLflow store; the only code that uses MLflow, which it imports only when needed.

store    find a store, connect to it, read its contents
entries  collect what should be recorded from a folder of results (needs no MLflow)
record   write what is missing, once
live     the focus run, while it trains
own_models  a model trained on a user's own texts, registered
fetch    restore the result files from a store

Files are the truth and the store is their record. An entry is one thing with its own files: a run, the statistics of a
corpus, vectors, the tagger. `place` is where its files are in a folder of results, `key` identifies the parameters,
data and code that made them, `digest` their bytes. A cell is the parent of its runs and has the means over them.
"""
