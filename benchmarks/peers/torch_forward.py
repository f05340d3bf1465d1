"""torch_forward.py model=resnet18 batch=1 threads=2, or layers=bn,64,relu,5: a forward pass of
PyTorch in evaluation mode without gradients: eager, traced and optimised for inference, or compiled,
images in either memory format; the fastest counts."""
import copy

from serve import about, arguments, best_of, need_torch, seconds_per_call, serve
import blas

torch = need_torch()
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


class Way:
    """A call that gets ready the first time, which may fail: a tracer or compiler need not know a network."""

    def __init__(self, make, module, sample):
        self.make, self.module, self.sample, self.ready = make, module, sample, None

    def __call__(self):
        if self.ready is None:
            self.ready = self.make(self.module, self.sample)
            for _ in range(3):
                self.ready(self.sample)
        self.ready(self.sample)


def ways():
    """Calls by name. A compiler that may fix the weights chooses the layout of images by itself."""
    makers = {"eager": lambda module, _: module, "traced": traced}
    compilers = {}
    if hasattr(torch, "compile"):
        compilers = {"compiled": lambda module, _: torch.compile(module),
                     "compiled, weights fixed": lambda module, _: torch.compile(module, options={"freezing": True})}
    found = {name: Way(make, model, x) for name, make in {**makers, **compilers}.items()}
    if not args["layers"]:
        last = {"memory_format": torch.channels_last}
        module, sample = copy.deepcopy(model).to(**last), x.to(**last)
        found.update({f"channels_last {name}": Way(make, module, sample) for name, make in makers.items()})
    return found


with torch.inference_mode():
    calls = ways()
    way, tried = best_of(calls)
    serve(lambda: {"seconds": seconds_per_call(calls[way])}, parameters=parameter_count(model),
          threads=args["threads"], way=way, tried=tried, **about(torch))
