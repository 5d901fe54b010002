"""Tables of Transformer-F's figures."""

from retable.papers.paper import Column, ResultTable, Row

CED = Column("ced", "CED", corpus="ced", unit="characters")
HOOK_A = 0.4
HOOK_RATIOS = (1, 2, 3, 4, 5, 6)  # sqrt(b/a), the layer with the least weight; the paper's 2.7 is the row transformer-f
HOOK_ROWS = tuple(
    Row(
        f"transformer-f-hook-{ratio}",
        f"√(b/a) = {ratio}",
        model="transformer-f",
        overrides={"model": {"hook_a": HOOK_A, "hook_b": round(HOOK_A * ratio**2, 6)}},
    )
    for ratio in HOOK_RATIOS
)
TRANSFORMER_F_FIGURE_3 = ResultTable(
    name="transformer-f-figure-3",
    title="Accuracy by the parameters of the hook function (Transformer-F, figure 3)",
    published=None,
    metric="accuracy",
    unit="%",
    vectors="chinese-word-vectors",
    rows=(*HOOK_ROWS[:2], Row("transformer-f", "√(b/a) = 2.7", model="transformer-f"), *HOOK_ROWS[2:]),
    columns=(CED,),
)
TRANSFORMER_F_TABLES = (TRANSFORMER_F_FIGURE_3,)
