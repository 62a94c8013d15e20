"""Writes torch_mlp.safetensors, as PyTorch users do, and prints what the
network gives: the numbers of tests/train/torch_weights_test.cc.

Needs torch and safetensors (PyTorch 2.x):
    python3 make_torch_weights.py .
"""

import sys

import torch
from safetensors.torch import save_file

torch.manual_seed(7)
net = torch.nn.Sequential(
    torch.nn.Conv2d(2, 3, 3, padding=1),
    torch.nn.Tanh(),
    torch.nn.BatchNorm2d(3),
    torch.nn.Flatten(),
    torch.nn.Linear(3 * 4 * 5, 6),
    torch.nn.Tanh(),
    torch.nn.Linear(6, 2),
)
with torch.no_grad():
    net[2].running_mean.copy_(torch.tensor([0.1, -0.2, 0.3]))
    net[2].running_var.copy_(torch.tensor([0.5, 1.5, 2.5]))
    net[2].weight.copy_(torch.tensor([1.5, 0.5, -1.0]))
    net[2].bias.copy_(torch.tensor([0.25, -0.5, 0.75]))
net.eval()
state = {k: v.contiguous() for k, v in net.state_dict().items()}
save_file(state, sys.argv[1] + "/torch_mlp.safetensors")

x = torch.sin(torch.arange(3 * 2 * 4 * 5, dtype=torch.float32) * 0.37)
x = x.reshape(3, 2, 4, 5)
with torch.no_grad():
    y = net(x)
print("torch", torch.__version__)
for name, value in state.items():
    print(name, tuple(value.shape), value.dtype)
print(", ".join(f"{v:.9g}f" for v in y.flatten().tolist()))
