"""train_step_torch.py MODEL BATCH STEPS: PyTorch's half of bench_train_step. For every line it
reads it measures one round of steps and prints the microseconds per step."""
import pathlib
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests" / "oracle"))
from torch_models import MODELS  # noqa: E402

name, batch, steps = sys.argv[1], *map(int, sys.argv[2:])
torch.set_num_threads(1)
torch.manual_seed(0)
model = MODELS[name][0]()
optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(batch, 16), torch.randint(0, 5, (batch,))
for _ in sys.stdin:
    start = time.perf_counter()
    for _ in range(steps):
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimiser.step()
    print((time.perf_counter() - start) / steps * 1e6, flush=True)
