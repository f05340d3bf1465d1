"""torch_train_step.py layers=bn,relu,5,relu batch=256 [quantiser=straight|fused]: a training step
of PyTorch eager: forward, backward and Adam."""
from serve import arguments, best_threads, need, seconds_per_call, serve

torch = need("torch", "python3-torch")
from torch_models import mlp, parameter_count  # noqa: E402

args = arguments(layers="bn,relu,5,relu", batch=256, quantiser="")
torch.manual_seed(0)
model = mlp(args["layers"], quantiser=args["quantiser"])
adam = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(args["batch"], 16), torch.randint(0, 5, (args["batch"],))


def step():
    adam.zero_grad(set_to_none=True)
    torch.nn.functional.cross_entropy(model(x), y).backward()
    adam.step()


threads = best_threads(torch, step)
serve(lambda: {"seconds": seconds_per_call(step)}, parameters=parameter_count(model),
      threads=threads)
