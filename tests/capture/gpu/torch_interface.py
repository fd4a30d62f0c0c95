# SPDX-License-Identifier: Apache-2.0
"""The Python interface in a PyTorch program: two steps with a stage and a counter each, and a collective of NCCL."""
import os
import pathlib
import sys

import torch

sys.path.insert(0, os.environ.get("LOCKSTEP_PYTHON") or str(pathlib.Path(__file__).parents[3] / "capture/python"))
import lockstep_capture as capture  # noqa: E402

os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", "29531")
torch.distributed.init_process_group("nccl", rank=0, world_size=1)
data = torch.ones(1 << 20, device="cuda")
for step in range(1, 3):
    capture.step(step)
    with capture.annotate(role="actor", stage="update_policy"):
        torch.distributed.all_reduce(data)
        data.mul_(2)
    capture.counter("loss", 1 / step, "nats")
capture.step(-1)
torch.cuda.synchronize()
torch.distributed.destroy_process_group()
print(capture.backend_name())
