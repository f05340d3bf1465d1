"""The models of the zoo that training is compared on, written in PyTorch by hand."""
import torch
from torch import nn


def _jsc(*layers):
    modules, width = [nn.BatchNorm1d(16), nn.ReLU()], 16
    for layer in layers:
        if layer == "bn":
            modules.append(nn.BatchNorm1d(width))
        elif layer == "relu":
            modules.append(nn.ReLU())
        elif layer == "dropout":
            modules.append(nn.Dropout(0.5))
        else:
            modules.append(nn.Linear(width, layer))
            width = layer
    return nn.Sequential(*modules)


def _block(*widths):
    return [part for width in widths for part in (width, "bn", "relu")]


class ToyConvnet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 16, 3, padding=1)
        self.conv3, self.conv4 = nn.Conv1d(16, 32, 3, padding=1), nn.Conv1d(32, 64, 3, padding=1)
        self.fc = nn.Linear(64, 10)

    def forward(self, x):
        f = torch.nn.functional
        x = f.max_pool2d(f.relu(self.conv1(x)), 2)
        x = f.max_pool2d(f.relu(self.conv2(x)), 2)
        x = torch.flatten(x, 2)
        x = f.relu(self.conv4(f.relu(self.conv3(x))))
        return self.fc(torch.flatten(f.adaptive_avg_pool1d(x, 1), 1))


# name -> (constructor, prefix of our parameter names before those of the PyTorch module)
MODELS = {
    "jsc-tiny": (lambda: _jsc(5, "relu"), "seq_blocks."),
    "jsc-toy": (lambda: _jsc(*_block(8, 8, 5)), "seq_blocks."),
    "jsc-s": (lambda: _jsc(*_block(64), 32, "relu", 32, "relu", 32, "relu", *_block(5)), "module_list."),
    "jsc-trt": (lambda: _jsc(*_block(32, 48), "dropout", *_block(16, 5)), "seq_blocks."),
    "jsc-tiny-x10": (lambda: _jsc(*_block(40, 25), 5), "seq_blocks."),
    "jsc-deep": (lambda: _jsc(*_block(64, 128, 8, 8, 5)), "seq_blocks."),
    "jsc-three-linear": (lambda: _jsc(16, "relu", 16, "relu", 5, "relu"), "seq_blocks."),
    "toy_convnet": (ToyConvnet, ""),
}
