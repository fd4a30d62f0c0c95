# SPDX-License-Identifier: Apache-2.0
"""A PyTorch training step as users write it, with NVTX ranges and without Lockstep: torch_step.py STEPS."""
import sys

import torch

STEPS = int(sys.argv[1])


def main():
    model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 256)).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    data = torch.randn(64, 256, device="cuda")
    for step in range(STEPS):
        torch.cuda.nvtx.range_push(f"step {step}")
        torch.cuda.nvtx.range_push("forward")
        loss = (model(data) - data).square().mean()
        torch.cuda.nvtx.range_pop()
        torch.cuda.nvtx.range_push("backward")
        loss.backward()
        torch.cuda.nvtx.range_pop()
        torch.cuda.nvtx.range_push("optimizer")
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.nvtx.range_pop()
        torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()
    print("loss", float(loss))


main()
