#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the rollout dumps of this folder as torch.save does, without torch: a zip of stored entries with data
descriptors, and a pickle of protocol 2 whose tensors refer to other entries. Run it in this folder."""
import io
import pickle
import sys
import types
import zipfile


def module(name, **content):
    made = sys.modules[name] = types.ModuleType(name)
    made.__dict__.update(content)
    return made


def function(name, of):
    def made(*_):
        raise NotImplementedError

    made.__name__ = made.__qualname__ = name
    made.__module__ = of
    return made


module("torch", FloatStorage=type("FloatStorage", (), {"__module__": "torch"}))
module("torch._utils", _rebuild_tensor_v2=function("_rebuild_tensor_v2", "torch._utils"))


class Storage:
    """What torch replaces by a persistent ID."""


class Tensor:
    def __reduce__(self):
        return sys.modules["torch._utils"]._rebuild_tensor_v2, (Storage(), 0, (2, 2), (2, 1), False, {})


class Pickler(pickle.Pickler):
    def persistent_id(self, thing):
        if isinstance(thing, Storage):
            return "storage", sys.modules["torch"].FloatStorage, "0", "cpu", 4
        return None


class Stream(io.RawIOBase):
    """A stream without positions, for which zipfile writes data descriptors."""

    def __init__(self, path):
        self.file = open(path, "wb")

    def write(self, data):
        return self.file.write(data)

    def writable(self):
        return True


def save(path, name, content):
    data = io.BytesIO()
    Pickler(data, protocol=2).dump(content)
    with zipfile.ZipFile(Stream(path), "w", zipfile.ZIP_STORED) as out:
        for entry, written in (("data.pkl", data.getvalue()), ("byteorder", b"little"), ("data/0", bytes(16)),
                               ("version", b"3\n")):
            out.writestr(zipfile.ZipInfo(f"{name}/{entry}"), written)


T0 = 1787300000.0


class Trace:
    def __init__(self, index, group, attempt=0):
        self.all = {"version": 1, "trace_id": f"{index:032x}", "sample_id": index, "group_id": group,
                    "attempt": attempt, "events": []}
        self.count = 0

    def event(self, kind, name, at, span=None, parent=None, attrs=None):
        event = {"type": kind, "name": name, "ts": T0 + at, "trace_id": self.all["trace_id"],
                 "sample_id": self.all["sample_id"], "group_id": self.all["group_id"],
                 "attempt": self.all["attempt"]}
        if span is not None:
            event["span_id"] = span
        if parent is not None:
            event["parent_span_id"] = parent
        if attrs is not None:
            event["attrs"] = attrs
        self.all["events"].append(event)

    def span(self, name, begin, end, parent=None, attrs=None):
        self.count += 1
        span = f"{self.all['sample_id']:x}{self.count:x}"
        self.event("span_start", name, begin, span, parent)
        if end is not None:
            self.event("span_end", name, end, span, None, attrs)
        return span


def sample(index, group, status, trace, reward, versions, **more):
    tokens = list(range(300))
    out = {"group_index": group, "index": index, "rollout_id": None, "prompt": [{"role": "user", "content": "2+2"}],
           "tokens": tokens, "multimodal_inputs": None, "response": "four", "response_length": 200, "label": "4",
           "reward": reward, "loss_mask": [1] * 200, "weight_versions": versions,
           "rollout_log_probs": [-0.5 * t for t in tokens[:200]], "rollout_routed_experts": Tensor(),
           "status": status, "metadata": {}, "session_id": None, "non_generation_time": 0.0,
           "spec_info": {"spec_accept_token_num": 0}, "prefix_cache_info": {"cached_tokens": 0, "total_prompt_tokens": 0}}
    out.update(more)
    if trace is not None:
        out["trace"] = trace.all
    return out


def generation(prompt, output, cached, request, reason="stop"):
    return {"prompt_tokens": prompt, "completion_tokens": output, "cached_tokens": cached, "queue_time": 0.25,
            "e2e_latency": 18.0, "finish_reason": reason, "sglang_request_id": request}


def training():
    first = Trace(4, 0)
    group = first.span("generate_and_rm_group", 1.0, 31.0)
    both = first.span("generate_and_rm", 1.5, 30.0, group)
    first.span("sglang_generate", 2.0, 20.0, both, generation(100, 1700, 64, "9f3c11aa"))
    first.span("sglang_pd_prefill_forward", 2.0, 2.5, both, {"pd_prefill_forward_duration": 0.5})
    first.event("event", "tool_call", 20.0, None, both, {"tool": "python"})
    first.span("sglang_generate", 21.0, 25.0, both, generation(1900, 300, 1792, "9f3c11ab"))
    first.span("reward_model", 25.5, 29.5, both)
    partial = Trace(5, 0, 1)
    partial.event("event", "attempt_start", -40.0)
    partial.span("sglang_generate", -40.0, -30.0, None, generation(100, 900, 0, "a0", "abort"))
    partial.span("sglang_generate", 1.0, 40.0, None, generation(1000, 2100, 960, "a1"))
    opened = Trace(6, 1)
    opened.span("sglang_generate", 3.0, None)
    opened.event("span_end", "reward_model", 3.5, "unknown")
    return {"rollout_id": 12, "samples": [
        sample(4, 0, "completed", first, 1.0, ["11", "12"], metadata={"domain": "math", 7: "seven"}),
        sample(5, 0, "truncated", partial, {"accuracy": 0.5}, ["9", "12"], metadata={"start_rollout_id": 11}),
        sample(6, 1, "aborted", opened, None, ["default"]),
        sample(7, 1, "completed", None, -0.25, ["12"],
               prefix_cache_info={"cached_tokens": 32, "total_prompt_tokens": 96}),
    ]}


def evaluation():
    first, second = Trace(0, 0), Trace(0, 0)
    first.span("sglang_generate", 0.0, 4.0, None, generation(10, 40, 0, "e0"))
    second.span("sglang_generate", 0.5, 6.5, None, generation(12, 60, 8, "e1"))
    return {"rollout_id": 12, "metadata": {}, "samples": [
        sample(0, 0, "completed", first, {"score": 1, "acc": True, "pred": "4"}, ["12"]), sample(0, 0, "completed", second, 0, ["12"])]}


save("12.pt", "12", training())
save("eval_12.pt", "eval_12", evaluation())
