"""torch_forward.py model=resnet18 batch=1 threads=2, or layers=bn,64,relu,5: a forward pass of
PyTorch in evaluation mode without gradients: eager, traced and optimised for inference, or compiled,
images in either memory format; the fastest counts."""
from serve import about, arguments, best_of, need, seconds_per_call, serve
import blas

torch = need("torch", "python3-torch")
from torch_models import mlp, network, parameter_count  # noqa: E402

args = arguments(model="", layers="", quantiser="", batch=1, threads=1)
torch.manual_seed(0)
torch.set_num_threads(args["threads"])
blas.set_threads(args["threads"])
model = (mlp(args["layers"], quantiser=args["quantiser"]) if args["layers"]
         else network(args["model"])).eval()
x = torch.randn(args["batch"], *((16,) if args["layers"] else (3, 224, 224)))


def traced(module, sample):
    return torch.jit.optimize_for_inference(torch.jit.trace(module, sample))


def ways():
    """Calls by name; what a version cannot do is left out."""
    makers = {"eager": lambda module, _: module, "traced": traced}
    if hasattr(torch, "compile"):
        makers["compiled"] = lambda module, _: torch.compile(module)
    layouts = {"": torch.contiguous_format}
    if not args["layers"]:
        layouts["channels_last "] = torch.channels_last
    found = {}
    for layout, memory in layouts.items():
        sample, module = x.to(memory_format=memory) if layout else x, model
        if layout:
            module = (network(args["model"])).eval().to(memory_format=memory)
        for name, make in makers.items():
            try:
                ready = make(module, sample)
                for _ in range(3):
                    ready(sample)
                found[layout + name] = lambda ready=ready, sample=sample: ready(sample)
            except Exception:  # a tracer or compiler that does not know this network
                continue
    return found


with torch.inference_mode():
    calls = ways()
    way, tried = best_of(calls)
    serve(lambda: {"seconds": seconds_per_call(calls[way])}, parameters=parameter_count(model),
          threads=args["threads"], way=way, tried=tried, **about(torch))
