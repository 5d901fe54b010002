"""Several runs of one model as one batched model: the runs of a cell differ in seed, fold or domain, in nothing else.

Why        a small network leaves most of a GPU idle: the time of a step is that of starting its kernels. With the
           weights of k runs one above the other, the kernels of one step serve all of them.
Method     weights, (k, ...), and the forward pass of one network under `torch.func.vmap`: its matrix products become
           batched ones, its convolutions grouped ones (stack.py). Where vmap has no rule, or would change the
           numbers, calls of torch are answered otherwise (inside.py): a recurrent layer is a hand-written step over
           stacked weights (recurrence.py), dropout takes masks that each run's own generator draws at the shapes of
           the run alone (masks.py). The backward pass is torch's. One step of the optimiser serves all weights
           (optimisers.py); rates, clipping and counts of steps are each run's own.
Runs       each keeps its order of texts, rates, curve, patience and best weights (`Course`). All take a step at a
           time, each in its own epoch; one that stops leaves the stack. Texts are padded to the longest text of the
           step, which changes no model's answers; batches are not filled up: where a run's batch has fewer texts than
           the others', it takes its step beside them. Vocabularies are padded to the longest.
Equal      to the runs alone within rounding, dropout included (CPU; float64: the losses of some epochs to 1e-9). A
           GPU's dropout numbers its draws otherwise when it is alone: there runs with dropout are equal in
           distribution.

| way | models |
|---|---|
| vmap | avg-embedding, dpcnn, fcsr, fcsr-fp, textcnn, transformer, transformer-f |
| vmap | universal-transformer with fixed halting |
| vmap, hand-written recurrence | att-blstm, bigru, bilstm, cspan, lama, lstm, structured-self-attention |
| alone, one run after the other | fasttext (sparse gradients), |
| | universal-transformer with adaptive halting (its number of steps follows its numbers) |
"""
