"""torch_forward.py model=resnet18 batch=1 threads=2, or layers=bn,64,relu,5: a forward pass of
PyTorch eager in evaluation mode without gradients."""
from serve import arguments, need, seconds_per_call, serve

torch = need("torch", "python3-torch")
from torch_models import mlp, parameter_count, torchvision_model  # noqa: E402

args = arguments(model="", layers="", quantiser="", batch=1, threads=1)
torch.manual_seed(0)
torch.set_num_threads(args["threads"])
model = (mlp(args["layers"], quantiser=args["quantiser"]) if args["layers"]
         else torchvision_model(args["model"])).eval()
x = torch.randn(args["batch"], *((16,) if args["layers"] else (3, 224, 224)))
with torch.inference_mode():
    for _ in range(3):
        model(x)
    serve(lambda: {"seconds": seconds_per_call(lambda: model(x))},
          parameters=parameter_count(model), threads=args["threads"])
