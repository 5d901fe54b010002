"""The survey of text classification: its tables of quoted scores (1 to 5), with a system of every family added.

Every number that it prints is quoted from a system's own paper, whose training texts, vectors and splits differ. Our
systems are trained alike: the same splits, tokens and word vectors, with the options of each system's preset.
"""

from dataclasses import replace
from typing import Any

from retable.papers.paper import Column, Paper, ResultTable, Row
from retable.papers.shared import (
    AVG_EMBEDDING,
    FASTTEXT,
    MINILM,
    NB_SVM,
    NEEDS_WEIGHTS,
    NO_AG_NEWS,
    NO_CORPUS,
    NOT_BUILT,
    SAMPLE,
    SMALL_PENALTY,
    TFIDF_SVM,
)

NEEDS_LANGUAGE_MODEL = f"{NOT_BUILT}: it needs a pretrained language model"
# [197] of the survey is Kusner et al., "From Word Embeddings to Document Distances", 2015. From memory: one of their
# tables tries word vectors of other authors, HLBL's (Mnih and Hinton 2009) among them, and 52 is an error rate.
NEEDS_HLBL = f"{NOT_BUILT}: nearest neighbours by word mover's distance, with HLBL vectors, which are unavailable"
ONE_TEXT = f"{NOT_BUILT} for two texts: for one text it is a row of tables 1 and 2"
NO_YELP = f"{NO_CORPUS}: the mirror has a sample of other reviews of the site (yelp-10k)"
NO_DBPEDIA = f"{NO_CORPUS}: 14,000 of its 630,000 texts are available here (dbpedia-14k)"

L_MIXED = {"perturbation": "both", "entropy": 1.0, "pooling": "max", "bidirectional": True, "mlp_hidden": 0}


def built(id: str, printed: str, model: str = "", **options: Any) -> Row:
    """Return a row that the survey prints, with options other than its model's preset."""
    return Row(id, printed, model or id, overrides={"model": options} if options else {})


def ours(id: str, printed: str, model: str = "", **options: Any) -> Row:
    """Return a row that a table of the survey does not print."""
    return Row(id, printed, model or id, extra=True, overrides={"model": options} if options else {})


def not_built(id: str, printed: str, reason: str = NOT_BUILT) -> Row:
    """Return a row without a model, and why it has none."""
    return Row(id, printed, reason=reason)


def pretrained(id: str, printed: str) -> Row:
    """Return a row that needs a pretrained language model."""
    return not_built(id, printed, NEEDS_LANGUAGE_MODEL)


def elsewhere(corpus: str, printed: str, reason: str = NO_CORPUS) -> Column:
    """Return a column whose corpus is declared but not available here; its cells can run where it is."""
    return Column(corpus, printed, corpus=corpus, split="paper", reason=reason)


def of_spans(id: str, printed: str) -> Column:
    """Return a column of SQuAD, whose answers are spans of a text; no system here predicts spans."""
    return Column(id, printed, split="paper", reason=NO_CORPUS)


# One system of every family in the survey's section 2 that reads a single text, in the survey's order.
FAMILIES = (
    AVG_EMBEDDING,
    ours("dan", "DAN"),
    ours("swem", "SWEM, mean and maximum", pool="concat"),
    ours("swem-max", "SWEM, maximum", "swem", pool="max"),
    ours("swem-hierarchical", "SWEM, hierarchical", "swem", pool="hierarchical"),
    ours("wide-mlp", "WideMLP"),
    ours("doc2vec", "Paragraph vectors"),
    FASTTEXT,
    ours("lstm", "LSTM"),
    ours("bilstm", "BiLSTM, max over words"),
    ours("mt-lstm", "MT-LSTM"),
    ours("s-lstm", "S-LSTM"),
    ours("recurrent-highway", "Recurrent highway network"),
    ours("tree-lstm", "Tree-LSTM, balanced trees"),
    ours("blstm-2dcnn", "BLSTM-2DCNN"),
    ours("dcnn", "DCNN"),
    replace(ours("cnn-rand", "CNN-rand", "textcnn"), vectors="none"),
    replace(ours("cnn-static", "CNN-static", "textcnn"), overrides={"embedding": {"tune": False}}),
    ours("textcnn", "CNN-non-static"),
    ours("cnn-multichannel", "CNN-multichannel", "textcnn-multichannel"),
    ours("word-cnn", "CNN-word"),
    ours("char-cnn", "Char-level CNN"),
    ours("char-aware-cnn", "Character-aware CNN"),
    ours("vdcnn", "VDCNN"),
    ours("dpcnn", "Deep Pyramid CNN"),
    ours("region-embedding", "Region embedding"),
    ours("capsule-a", "Capsule-A", "capsule", widths=[3], loss="cross-entropy"),  # chosen on dev: docs/differences.md
    ours("capsule-b", "CapsuleNet B", "capsule"),
    ours("att-blstm", "Att-BLSTM"),
    ours("han", "HAN"),
    ours("structured-self-attention", "Structured self-attention", penalty=SMALL_PENALTY["model"]["penalty"]),
    ours("inner-attention-bilstm", "BiLSTM with inner attention", "inner-attention"),
    ours("generalized-pooling", "Generalized pooling"),
    ours("dense-cnn-multiscale", "Dense CNN with multi-scale attention"),
    ours("disan", "DiSAN"),
    ours("leam", "LEAM"),
    ours("nse", "Neural Semantic Encoder"),
    ours("dmn", "Dynamic memory network"),
    ours("text-gcn", "Text GCN, inductive"),
    ours("sgc", "Simplified GCN, inductive"),
    ours("text-level-gnn", "Text-level GNN"),
    ours("texting", "TextING"),
    ours("c-lstm", "C-LSTM"),
    ours("rcnn", "RCNN"),
    ours("transformer", "Transformer, 2 layers of 100", layers=2, heads=4, size=100),
    ours("virtual-adversarial", "Virtual adversarial training"),
    ours("l-mixed", "L MIXED", "virtual-adversarial", **L_MIXED),
    ours("decision-jumps", "LSTM-Jump"),
    ours("topic-rnn", "TopicRNN"),
    ours("sequence-autoencoder", "Sequence autoencoder"),
    ours("vampire", "VAMPIRE"),
    ours("nvdm", "NVDM"),
    replace(ours("bert-base", "BERT-base, fine-tuned"), reason=NEEDS_WEIGHTS),
    *MINILM,
    ours("naive-bayes", "Naive Bayes"),
    ours("lda", "LDA"),
    ours("bow-svm", "BoW+SVM"),
    ours("delta-tfidf", "tf·Δ idf"),
    TFIDF_SVM,
    NB_SVM,
)


def with_families(*printed: Row) -> tuple[Row, ...]:
    """Return the printed rows, then the systems of the families that are not among them."""
    there = {row.id for row in printed}
    return (*printed, *(row for row in FAMILIES if row.id not in there))


SENTIMENT = with_families(
    built("naive-bayes", "Naive Bayes"),
    built("lda", "LDA"),
    built("bow-svm", "BoW+SVM"),
    built("delta-tfidf", "tf·Δ idf"),
    built("char-cnn", "Char-level CNN"),
    built("dpcnn", "Deep Pyramid CNN"),
    pretrained("ulmfit", "ULMFiT"),
    built("blstm-2dcnn", "BLSTM-2DCNN"),
    built("nse", "Neural Semantic Encoder"),
    pretrained("bcn-char-cove", "BCN+Char+CoVe"),
    pretrained("elmo-glue-baseline", "GLUE ELMo baseline"),
    pretrained("elmo-bert-baseline", "BERT ELMo baseline"),
    not_built("cccapsnet", "CCCapsNet"),
    built("virtual-adversarial", "Virtual adversarial training"),
    pretrained("block-sparse-lstm", "Block-sparse LSTM"),
    replace(built("bert-base", "BERT-base"), reason=NEEDS_WEIGHTS),
    pretrained("bert-large", "BERT-large"),
    pretrained("albert", "ALBERT"),
    pretrained("mt-dnn", "Multi-Task DNN"),
    pretrained("snorkel-metal", "Snorkel MeTaL"),
    pretrained("bert-uda", "BERT Finetune + UDA"),
    pretrained("roberta", "RoBERTa (+additional data)"),
    pretrained("xlnet-large-ensemble", "XLNet-Large (ensemble)"),
)
TABLE_1 = ResultTable(
    name="survey-table-1",
    title="Accuracy on sentiment analysis (survey, table 1)",
    published="table-1",
    metric="accuracy",
    unit="%",
    rows=(
        *SENTIMENT,
        ours("tree-lstm-parsed", "Tree-LSTM, the treebank's trees", "tree-lstm", tree="given"),
        ours("skip-thought", "Skip-thought, neighbours inside the texts"),  # r8 has no punctuation
    ),
    columns=(
        Column("imdb", "IMDB", corpus="imdb", split="paper"),
        Column("sst-2", "SST-2", corpus="sst-2", split="paper", note="most sources train on its phrases as well"),
        Column("sst-2-phrases", "SST-2, trained on phrases too", corpus="sst-2-phrases", split="paper", extra=True),
        elsewhere("amazon-polarity", "Amazon-2"),
        elsewhere("amazon-full", "Amazon-5"),
        elsewhere("yelp-polarity", "Yelp-2", NO_YELP),
        elsewhere("yelp-full", "Yelp-5", NO_YELP),
        Column("mr", "MR", corpus="mr", extra=True, folds="test"),
        Column("mpqa", "MPQA", corpus="mpqa", extra=True, folds="test"),
        Column("sst-1", "SST-1", corpus="sst-1", split="paper", extra=True),
        Column("sst-1-phrases", "SST-1, trained on phrases too", corpus="sst-1-phrases", split="paper", extra=True),
        Column(
            "sst-1-trees",
            "SST-1 as trees",
            corpus="sst-1-trees",
            split="paper",
            extra=True,
            note="the treebank's later edition: 7 test sentences fewer, words cut at hyphens",
        ),
        SAMPLE,
    ),
)

TOPICS = with_families(
    not_built("hierarchical-log-bilinear", "Hierarchical Log-bilinear Model", NEEDS_HLBL),
    built("text-gcn", "Text GCN"),
    built("sgc", "Simplified GCN"),
    built("char-cnn", "Char-level CNN"),
    not_built("cccapsnet", "CCCapsNet"),
    built("leam", "LEAM"),
    built("fasttext", "fastText"),
    built("capsule-b", "CapsuleNet B", "capsule"),
    built("dpcnn", "Deep Pyramid CNN"),
    pretrained("ulmfit", "ULMFiT"),
    built("l-mixed", "L MIXED", "virtual-adversarial", **L_MIXED),
    pretrained("bert-large", "BERT-large"),
    pretrained("xlnet", "XLNet"),
)
TABLE_2 = ResultTable(
    name="survey-table-2",
    title="Accuracy on news and topics (survey, table 2)",
    published="table-2",
    metric="accuracy",
    unit="%",
    rows=TOPICS,
    columns=(
        Column("ag-news", "AG News", corpus="ag-news", split="paper", reason=NO_AG_NEWS),
        Column("20-newsgroups", "20NEWS", corpus="20-newsgroups", split="paper"),
        replace(elsewhere("sogou-news", "Sogou News"), unit="characters"),
        elsewhere("dbpedia", "DBpedia", NO_DBPEDIA),
        Column("ohsumed", "Ohsumed", corpus="ohsumed", split="paper"),
        Column("r8", "R8", corpus="r8", split="paper", extra=True),
        Column("r52", "R52", corpus="r52", split="paper", extra=True),
        Column("ag-news-5k", "AG News, 5,000 training texts", corpus="ag-news-5k", split="paper", extra=True),
        Column("trec", "TREC", corpus="trec", split="paper", extra=True),
    ),
)

SQUAD = (
    not_built("sliding-window", "Sliding Window+Dist."),
    not_built("handcrafted-logistic", "Hand-crafted Features+Logistic Regression"),
    pretrained("bidaf-elmo", "BiDAF + Self Attention + ELMo"),
    not_built("stochastic-answer-network", "SAN (single model)"),
    not_built("fusionnet-ensemble", "FusionNet++ (ensemble)"),
    not_built("stochastic-answer-network-ensemble", "SAN (ensemble)"),
    pretrained("bert-single", "BERT (single model)"),
    pretrained("bert-large-ensemble", "BERT-large (ensemble)"),
    pretrained("bert-multiple-cnn", "BERT + Multiple-CNN"),
    pretrained("xlnet", "XL-Net"),
    pretrained("spanbert", "SpanBERT"),
    pretrained("roberta", "RoBERTa"),
    pretrained("albert", "ALBERT (single model)"),
    pretrained("albert-ensemble", "ALBERT (ensemble)"),
    pretrained("retro-reader", "Retro-Reader on ALBERT"),
)
TABLE_3 = ResultTable(
    name="survey-table-3",
    title="Exact match and F1 on SQuAD (survey, table 3): spans of a text, not classes; nothing is trained here",
    published="table-3",
    metric="em",
    unit="%",
    rows=SQUAD,
    columns=(
        of_spans("squad1.1", "SQuAD1.1, EM"),
        Column("squad1.1-f1", "SQuAD1.1, F1", runs_of="squad1.1", metric="macro_f1", reason=NO_CORPUS),
        of_spans("squad2.0", "SQuAD2.0, EM"),
        Column("squad2.0-f1", "SQuAD2.0, F1", runs_of="squad2.0", metric="macro_f1", reason=NO_CORPUS),
    ),
)

PAIRS = (
    ours("lstm-encoder-nli", "LSTM encoder", "pair-encoder", encoder="lstm", hidden=100),
    ours("bilstm-encoder-nli", "biLSTM encoder, max over words", "pair-encoder"),
    ours("means-nli", "Means of word vectors", "pair-encoder", encoder="mean"),
    ours("decomposable-attention", "Decomposable attention"),
    ours("bimpm", "BiMPM"),
    ours("mwan", "MwAN"),
    ours("abcnn", "ABCNN-3"),
    ours("siamese-lstm", "Siamese LSTM"),
    ours("mp-cnn", "Multi-perspective CNN"),
    ours("attentive-pooling", "Attentive pooling, CNN", encoder="cnn", hidden=400),
    ours("attentive-pooling-bilstm", "Attentive pooling, biLSTM", "attentive-pooling"),
    ours("hyperqa", "HyperQA"),
    ours("unlexicalized", "Unlexicalized features", "pair-features", features="unlexicalized"),
    ours("unigram-features", "Unigram features", "pair-features", features="unigrams"),
    ours("lexicalized", "Lexicalized features", "pair-features"),
    TFIDF_SVM,
    NB_SVM,
)


def with_pairs(*printed: Row) -> tuple[Row, ...]:
    """Return the printed rows, then the systems for pairs of texts that are not among them."""
    there = {row.id for row in printed}
    return (*printed, *(row for row in PAIRS if row.id not in there))


TABLE_4 = ResultTable(
    name="survey-table-4",
    title="Mean average precision and mean reciprocal rank on WikiQA (survey, table 4)",
    published="table-4",
    metric="map",
    unit="fraction",
    rows=with_pairs(
        built("doc2vec", "Paragraph vector", compare=True),
        # From memory: 0.655 and 0.674 are the source's plain LSTM, 0.6886 and 0.7069 its model with word counts.
        built("nasm", "Neural Variational Inference"),
        built("attentive-pooling", "Attentive pooling networks", encoder="cnn", hidden=400),
        built("hyperqa", "HyperQA"),
        pretrained("bert-single", "BERT (single model)"),
        pretrained("tanda", "TANDA-RoBERTa"),
    ),
    columns=(
        Column("wikiqa", "WikiQA, MAP", corpus="wikiqa", split="paper", note="only questions with an answer"),
        Column("wikiqa-mrr", "WikiQA, MRR", corpus="wikiqa", split="paper", metric="mrr", runs_of="wikiqa"),
        Column("trecqa", "TrecQA, MAP", corpus="trecqa", split="paper", extra=True),
        Column("trecqa-mrr", "TrecQA, MRR", corpus="trecqa", split="paper", metric="mrr", runs_of="trecqa", extra=True),
        Column(
            "sick-relatedness",
            "SICK, relatedness, Pearson",
            corpus="sick-relatedness",
            split="paper",
            metric="pearson",
            extra=True,
            note="correlation of the mean of five grades with the mean of ten people's",
        ),
    ),
)
TABLE_5 = ResultTable(
    name="survey-table-5",
    title="Accuracy on natural language inference (survey, table 5), and on two available corpora of pairs",
    published="table-5",
    metric="accuracy",
    unit="%",
    rows=with_pairs(
        built("unigram-features", "Unigrams Features", "pair-features", features="unigrams"),
        built("lexicalized", "Lexicalized", "pair-features"),
        built("lstm-encoder-nli", "LSTM encoders (100D)", "pair-encoder", encoder="lstm", hidden=100),
        not_built("tbcnn", "Tree Based CNN"),
        built("bilstm-encoder-nli", "biLSTM Encoder", "pair-encoder"),
        not_built("nse", "Neural Semantic Encoders (300D)", ONE_TEXT),
        not_built("rnn-sentence-encoder", "RNN Based Sentence Encoder"),
        not_built("disan", "DiSAN (300D)", ONE_TEXT),
        built("decomposable-attention", "Decomposable Attention Model"),
        not_built("resan", "Reinforced Self-Attention (300D)"),
        not_built("generalized-pooling", "Generalized Pooling (600D)", ONE_TEXT),
        built("bimpm", "Bilateral multi-perspective matching"),
        built("mwan", "Multiway Attention Network"),
        pretrained("esim-elmo", "ESIM + ELMo"),
        not_built("dman", "DMAN with Reinforcement Learning"),
        pretrained("bilstm-elmo-attn", "BiLSTM + ELMo + Attn"),
        pretrained("gpt", "Fine-Tuned LM-Pretrained Transformer"),
        pretrained("mt-dnn", "Multi-Task DNN"),
        pretrained("sembert", "SemBERT"),
        pretrained("roberta", "RoBERTa"),
        pretrained("xlnet", "XLNet"),
    ),
    columns=(
        Column("snli", "SNLI", corpus="snli", split="paper", reason=NO_CORPUS),
        Column("multinli-matched", "MultiNLI, matched", corpus="multinli-matched", reason=NO_CORPUS),
        Column("multinli-mismatched", "MultiNLI, mismatched", corpus="multinli-mismatched", reason=NO_CORPUS),
        Column("sick", "SICK", corpus="sick", split="paper", extra=True),
        Column("msrp", "MSRP", corpus="msrp", split="paper", extra=True),
    ),
)

PAPER = Paper(
    name="survey",
    title="A survey of deep learning methods for text classification",
    citation="Minaee, Kalchbrenner, Cambria, Nikzad, Chenaghlu and Gao, Deep Learning Based Text Classification: "
    "A Comprehensive Review, ACM Computing Surveys 2021.",
    results=(TABLE_1, TABLE_2, TABLE_3, TABLE_4, TABLE_5),
)
