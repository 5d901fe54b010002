"""In which precision operations are computed."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Dtypes(TorchDispatchMode):
    """Within the `with`, note the types of numbers that some operations are given: operation -> dtypes."""

    def __init__(self, operations):
        super().__init__()
        self.operations, self.of = operations, {}

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        if operation in self.operations:
            given = [each for each in args if isinstance(each, torch.Tensor) and each.is_floating_point()]
            self.of.setdefault(operation, set()).update(each.dtype for each in given)
        return operation(*args, **(kwargs or {}))
