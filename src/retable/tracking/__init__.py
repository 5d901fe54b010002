"""The record of every run in an MLflow store; the only code that knows MLflow, which it imports when it must.

store    where a store is, how to reach it, and what it holds
entries  what a folder of results asks to have recorded (needs no MLflow)
record   write what is missing, once
live     the focus run, while it trains
own_models  a model of people's own texts, registered
fetch    the result files, back out of a store

Files are the truth and the store is their record. An entry is one thing with files of its own: a run, the statistics of
a corpus, vectors, the tagger. `place` says where its files stand in a folder of results, `key` which parameters, data
and code made them, `digest` which bytes they are. A cell is the parent of its runs and has the means over them.
"""
