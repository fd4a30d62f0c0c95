#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Imitates `python3 -m verl.trainer.main_ppo` of one verl release: reads the overrides, and writes the files that the
profilers of that release write, without training. One process per GPU and one controller, on one host.

The behavior is taken from verl's source and not from Lockstep's recipe, to check it. Tags: V61 v0.6.1, V71 v0.7.1,
V8 v0.8.0, V9 v0.9.0, H head 1dda039b; paths without a folder are in verl/utils/profiler. RAY is ray-project/ray
23525421 python/ray/_private/runtime_env/nsight.py.

The release is the text of the file verl/version/version next to this package: 0.6.1, 0.7.1, 0.8.0, 0.9.0 or head.
Every file that a worker writes or moves is a line of $VERL_STAND_IN/files: "wrote PATH" or "moved PATH PATH".
"""
import datetime
import gzip
import json
import os
import pathlib
import pickle
import re
import shutil
import socket
import sys
import time

RELEASES = ("0.6.1", "0.7.1", "0.8.0", "0.9.0", "head")
RELEASE = RELEASES.index((pathlib.Path(__file__).parent.parent / "version" / "version").read_text().strip())
V61, V71, V8, V9, HEAD = range(5)
STATE = pathlib.Path(os.environ["VERL_STAND_IN"])


# ------------------------------------------------------------------------------------------------ configuration

def parse(text):
    """Returns the value of a Hydra override: null, booleans, numbers, lists, maps, and quoted or plain text."""
    value, rest = parse_part(text.strip(), "")
    if rest:
        sys.exit(f"mismatched input '{rest}' in '{text}'")
    return value


def parse_part(text, ends):
    if text[:1] in ("[", "{"):
        items, keys, rest, close = [], [], text[1:].lstrip(), "]" if text[0] == "[" else "}"
        while not rest.startswith(close):
            if close == "}":
                key, colon, rest = rest.partition(":")
                if not colon:
                    sys.exit(f"no ':' in '{text}'")
                keys.append(key.strip())
            item, rest = parse_part(rest.lstrip(), "," + close)
            items.append(item)
            rest = rest.lstrip()
            if rest.startswith(","):
                rest = rest[1:].lstrip()
        return (dict(zip(keys, items)) if close == "}" else items), rest[1:]
    if text[:1] in ("'", '"'):
        end = 1
        while text[end] != text[0]:
            end += 2 if text[end] == "\\" else 1
        return text[1:end].replace("\\" + text[0], text[0]), text[end + 1:]
    end = min((i for i, c in enumerate(text) if c in ends), default=len(text))
    word = text[:end].strip()
    plain = {"null": None, "true": True, "false": False}
    if word.lower() in plain:
        return plain[word.lower()], text[end:]
    return (int(word) if re.fullmatch(r"-?\d+", word) else word), text[end:]


class Copy:
    """The default of a key whose YAML refers to another key, with its fallback: ${oc.select:KEY,FALLBACK}."""

    def __init__(self, key, fallback=None):
        self.key, self.fallback = key, fallback


GLOBAL, ACTOR = "global_profiler", "actor_rollout_ref.actor.profiler"
ROLLOUT, REF, CRITIC = "actor_rollout_ref.rollout.profiler", "actor_rollout_ref.ref.profiler", "critic.profiler"


def tool_keys():
    """Keys below tool_config. V61 config/actor/actor.yaml; V71, V8, V9, H config/profiler/profiler.yaml."""
    keys = {"nsys.discrete": Copy(GLOBAL + ".global_tool_config.nsys.discrete"), "npu.contents": [], "npu.level": "level0",
            "npu.analysis": True, "npu.discrete": False,
            "torch_memory.trace_alloc_max_entries": Copy(GLOBAL + ".global_tool_config.torch_memory.trace_alloc_max_entries"),
            "torch_memory.stack_depth": Copy(GLOBAL + ".global_tool_config.torch_memory.stack_depth")}
    keys.update({"torch.step_start": 0, "torch.step_end": None} if RELEASE == V61 else
                {"torch.contents": [], "torch.discrete": False})
    if RELEASE >= V8:
        keys.update({"precision_debugger." + name: None for name in ("config_path", "steps", "stages", "strict")})
    if RELEASE >= V9:
        keys.update({tool + ".profile_token_" + end: None for tool in ("torch", "npu") for end in ("start", "end")})
        keys.update({"torch.schedule." + name: 0 for name in ("skip_first", "wait", "warmup", "active", "repeat")})
    return keys


def defaults():
    """Keys of config/ppo_trainer.yaml and of the files that it includes, as far as they matter here."""
    hook = {"relocate_results": False, "finish_hook_cmd": None, "finish_hook_all_ranks": False, "finish_hook_ranks": []}
    keys = {GLOBAL + "." + name: value for name, value in {
        "tool": None, "steps": None, "profile_continuous_steps": False, "save_path": "outputs/profile",
        "global_tool_config.nsys.discrete": False, "global_tool_config.torch_memory.trace_alloc_max_entries": 100000,
        "global_tool_config.torch_memory.stack_depth": 32}.items()}
    for side, more in (("controller", {}), ("worker", {"capture-range": "cudaProfilerApi", "capture-range-end": None,
                                                       "kill": "none"})):
        for name, value in {"trace": "cuda,nvtx,cublas,ucx", "cuda-memory-usage": "true", "cuda-graph-trace": "graph",
                            **more}.items():
            keys[f"{GLOBAL}.global_tool_config.nsys.{side}_nsight_options.{name}"] = value
    blocks = [ACTOR, ROLLOUT, REF, CRITIC] + (["reward_model.profiler"] if RELEASE == V61 else [])
    if RELEASE >= V8:
        keys.update({f"{GLOBAL}.global_tool_config.precision_debugger.{name}": None
                     for name in ("config_path", "steps", "stages", "strict")})
    for block in blocks:
        keys.update({block + ".tool": Copy(GLOBAL + ".tool"), block + ".save_path": Copy(GLOBAL + ".save_path")})
        copied = block == ROLLOUT  # config/rollout/rollout.yaml of each tag: it copies the actor's block
        for name, value in {"enable": False, "all_ranks": False, "ranks": []}.items():
            keys[f"{block}.{name}"] = Copy(f"{ACTOR}.{name}", value) if copied else value
        for name, value in tool_keys().items():
            if RELEASE > V61 and copied and name.split(".")[0] in ("nsys", "torch_memory"):
                continue  # V71 rollout.yaml:341-373, V8, V9, H: no such map
            keys[f"{block}.tool_config.{name}"] = Copy(f"{ACTOR}.tool_config.{name}", value) if copied else value
    if RELEASE == HEAD:
        for block in [GLOBAL] + blocks:
            for name, value in hook.items():
                source = {GLOBAL: None, ROLLOUT: ACTOR}.get(block, GLOBAL)
                keys[f"{block}.{name}"] = Copy(f"{source}.{name}", value) if source else value
    actor = "actor_rollout_ref.actor."
    keys.update({
        "trainer.nnodes": 1, "trainer.n_gpus_per_node": 8, "trainer.total_training_steps": None, "trainer.critic_warmup": 0,
        "trainer.v1.trainer_mode": "sync", "data.train_batch_size": 1024, actor + "ppo_mini_batch_size": 256,
        actor + "ppo_epochs": 1, actor + "use_kl_loss": False, "algorithm.use_kl_in_reward": False,
        "algorithm.adv_estimator": "gae", "critic.enable": None,
        "critic.ppo_mini_batch_size": Copy(actor + "ppo_mini_batch_size", 256),
        "critic.ppo_epochs": Copy(actor + "ppo_epochs", 1),
        "actor_rollout_ref.rollout.mode": "sync" if RELEASE == V61 else "async",  # rollout.yaml:8 of both tags
        "actor_rollout_ref.rollout.name": "vllm", "actor_rollout_ref.rollout.tensor_model_parallel_size": 2,
        "actor_rollout_ref.rollout.data_parallel_size": 1, "actor_rollout_ref.rollout.pipeline_model_parallel_size": 1,
        "ray_kwargs.ray_init.num_cpus": None, "ray_kwargs.timeline_json_file": None})
    if RELEASE >= V9:
        keys["trainer.use_v1"] = True  # V9 config/ppo_trainer.yaml:222
    return keys


class Config:
    def __init__(self, words):
        self.defaults, self.values = defaults(), {}
        for word in words:
            match = re.fullmatch(r"(\+{0,2})([\w.@-]+)=(.*)", word, re.DOTALL)
            if not match:
                sys.exit(f"Error parsing override '{word}'")
            prefix, key, value = match.group(1), match.group(2), parse(match.group(3))
            if not prefix and not self.is_known(key):
                sys.exit(f"Could not override '{key}'.\nKey '{key}' is not in struct")
            self.put(key, value)

    def is_known(self, key):
        return any(known == key or known.startswith(key + ".") for known in (*self.defaults, *self.values))

    def put(self, key, value):
        if isinstance(value, dict):
            for name, inner in value.items():
                self.put(f"{key}.{name}", inner)
            return
        # The blocks become dataclasses: an unknown key is an unexpected argument.
        is_block = key.startswith(GLOBAL) or ".profiler." in key
        is_free = "_nsight_options." in key or key.endswith("._target_") or \
            re.search(r"rollout\.profiler\.tool_config\.(nsys|torch_memory)\.", key)
        if is_block and not is_free and key not in self.defaults:
            sys.exit(f"TypeError: __init__() got an unexpected keyword argument '{key}'")
        self.values[key] = value

    def get(self, key, fallback=None):
        if key in self.values:
            return self.values[key]
        default = self.defaults.get(key, fallback)
        return self.get(default.key, default.fallback) if isinstance(default, Copy) else default

    def below(self, prefix):
        names = dict.fromkeys([key[len(prefix) + 1:] for key in (*self.defaults, *self.values)
                               if key.startswith(prefix + ".")])
        return {name: self.get(f"{prefix}.{name}") for name in names}


# --------------------------------------------------------------------------------------------------------- files

def note(text):
    with open(STATE / "files", "a") as out:
        out.write(text + "\n")


def put_file(path, content):
    path = pathlib.Path(os.path.abspath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name("." + path.name + ".new")
    new.write_bytes(content)
    os.replace(new, path)
    note(f"wrote {path}")


def kineto(rank, world, name):
    now = time.time_ns()
    events = [{"ph": "X", "cat": "cpu_op", "name": name, "pid": os.getpid(), "tid": 1, "ts": i * 20, "dur": 9.5}
              for i in range(20)]
    return gzip.compress(json.dumps({"schemaVersion": 1, "baseTimeNanoseconds": now, "distributedInfo": {
        "backend": "nccl", "rank": rank, "world_size": world}, "traceEvents": events}).encode())


def snapshot():
    """A pickle like that of torch.cuda.memory._dump_snapshot, with the process in it: each file differs."""
    base = 0x7F0000000000 + os.getpid() * 0x10000000
    trace = [{"action": "alloc", "addr": base + i * 512, "size": 512, "stream": 0, "frames": [], "time_us": i,
              "segment_pool_id": (0, 0)} for i in range(8)]
    return pickle.dumps({"segments": [], "device_traces": [trace], "allocator_settings": {}})


class Nsys:
    """nsys around one process, as Ray starts it: RAY:94-150. Ranges follow cudaProfilerStart and cudaProfilerStop."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.is_open, self.ranges = False, 0
        end = str(options.get("capture-range-end", "stop-shutdown"))
        match = re.fullmatch(r"repeat-shutdown:(\d+)", end)
        self.numbers = bool(match)
        self.limit = int(match.group(1)) if match else 1

    def path(self, suffix):
        name = str(self.options.get("o", self.options.get("output", "worker_process_%p")))
        return os.path.join(self.folder, name.replace("%p", str(os.getpid()))) + suffix

    def write(self, suffix):
        mark = f"{os.getpid()} {suffix} {time.time_ns()}".encode()
        put_file(self.path(suffix), b"NVIDIA Tegra Profiler Report 2025@6@1@190-256136895201v0." + mark +
                 b"\0" * 80 + b"U3w[END]")

    def start(self):
        if self.options.get("capture-range") == "cudaProfilerApi" and self.ranges < self.limit:
            self.is_open = True  # a second start inside of a range has no effect

    def stop(self):
        if self.is_open:
            self.is_open = False
            self.ranges += 1
            self.write(f".{self.ranges}.nsys-rep" if self.numbers else ".nsys-rep")

    def exit(self):
        if "capture-range" not in self.options:
            self.write(".nsys-rep")
        self.stop()


# ----------------------------------------------------------------------------------------------------- profilers

class Process:
    """What the roles of one process share."""

    def __init__(self, rank, world, nsys):
        self.rank, self.world, self.nsys = rank, world, nsys
        self.torch_count = 0  # Profiler._define_count: V71 torch_profile.py:82


class Profiler:
    """DistProfiler of one role. V61 profile.py:176-260; V71, V8 profile.py:72-189; V9, H the same with a prefix."""

    def __init__(self, config, block, process, prefix=None):
        self.process, self.prefix = process, prefix
        self.get = lambda name, fallback=None: config.get(f"{block}.{name}", fallback)
        self.tool, self.enable = self.get("tool"), bool(self.get("enable"))
        ranks = self.get("ranks")
        if self.get("all_ranks"):
            self.this_rank = True
        elif ranks:
            self.this_rank = process.rank in ranks
        else:
            # V71 profile.py:106-108. V61 nvtx_profile.py:134-138 has no default; its memory tool has: profile.py:342.
            self.this_rank = process.rank == 0 and (self.enable and RELEASE > V61 or self.tool == "torch_memory")
        # V61 profile.py:287: the memory tool is always enabled.
        self.is_on = (self.enable or RELEASE == V61 and self.tool == "torch_memory") and self.this_rank
        self.discrete = self.get(f"tool_config.{self.tool}.discrete") or False
        self.this_step, self.step, self.file = False, None, None
        if self.is_on and RELEASE == V61 and self.tool == "torch":
            raise SystemExit("AttributeError: 'ProfilerConfig' object has no attribute 'profile_ranks'")  # profile.py:59

    def start(self, role=None, profile_step=None):
        if not self.is_on:
            return
        self.this_step, self.step = True, profile_step
        if self.discrete:
            return
        if self.tool == "nsys":
            self.process.nsys.start()
        elif self.tool == "torch" and self.process.torch_count == 0:
            self.file = self.torch_file(role)
            self.process.torch_count += 1

    def stop(self):
        if not self.is_on:
            return
        was_started, self.this_step = self.this_step, False
        if self.tool == "torch_memory":
            if was_started:  # V61 profile.py:323-335; V9 torch_memory_profile.py:75-87
                self.dump("torch_memory", f"step{self.step}")
        elif self.tool == "nsys" and not self.discrete:
            self.process.nsys.stop()
        elif self.tool == "torch" and not self.discrete and self.process.torch_count == 1:
            put_file(self.file, kineto(self.process.rank, self.process.world, "step"))
            self.process.torch_count -= 1
        if RELEASE == HEAD and self.get("relocate_results") and self.tool == "nsys":
            self.relocate()

    def stage(self, role):
        """A method with DistProfiler.annotate."""
        if not (self.is_on and self.this_step and self.discrete):
            return
        if self.tool == "nsys":  # V61 nvtx_profile.py:184-194; H :257-273
            self.process.nsys.start()
            self.process.nsys.stop()
        elif self.tool == "torch":  # V71 torch_profile.py:158-170; H :443-476
            put_file(self.torch_file(role), kineto(self.process.rank, self.process.world, role))

    def torch_file(self, role):
        time.sleep(0.002)  # names differ by the millisecond
        stamp = datetime.datetime.now().strftime("%Y%m%d%H%M%S%f")[:-3]
        rank, pid = self.process.rank, os.getpid()
        folder = self.get("save_path")
        if RELEASE < V9:  # V71 torch_profile.py:33-45; nobody passes a prefix: profile.py:125
            return os.path.join(folder, role or "", f"prof_rank-{rank}_{pid}_{stamp}.json.gz")
        clean = lambda text: re.sub(r"[^0-9A-Za-z.=+-]+", "-", str(text)).strip("-")
        parts = [clean(part) for part in (self.prefix, role) if part]
        if RELEASE == HEAD and self.step is not None:
            parts.append(f"step{self.step}")
        parts += [f"rank{rank}-of-{self.process.world}", f"pid{pid}", stamp]
        # V9 torch_profile.py:132 has a folder per role; H :144-147 has not.
        folder = os.path.join(folder, role) if role and RELEASE == V9 else folder
        return os.path.join(folder, "_".join(parts) + ".json.gz")

    def dump(self, tag, folder):
        """MemorySnapshotSampler: V61 memory_utils.py:256-292, H :269-305."""
        name = f"{tag}_rank{self.process.rank}_pid{os.getpid()}.pickle"
        put_file(os.path.join(self.get("save_path") or "outputs/profile", folder, name), snapshot())

    def relocate(self):
        """H nvtx_profile.py:155-218. The folder is fixed there; the stand-in's /tmp is in its own folder."""
        source = STATE / "tmp/ray/session_latest/logs/nsight"
        for path in sorted(source.glob(f"worker_process_{os.getpid()}.*")):
            prefix = f"{self.prefix}_" if self.prefix else ""
            target = os.path.abspath(os.path.join(self.get("save_path"), f"{prefix}{socket.gethostname()}_{path.name}"))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.move(path, target)
            note(f"moved {path.resolve()} {target}")


# ------------------------------------------------------------------------------------------------------ training

def uses_critic(config):
    """H verl/trainer/ppo/utils.py:96-107, the same in V61:85-96."""
    enable = config.get("critic.enable")
    return bool(enable) if enable is not None else config.get("algorithm.adv_estimator") == "gae"


def uses_reference(config):
    return config.get("algorithm.use_kl_in_reward") or config.get("actor_rollout_ref.actor.use_kl_loss")


def batches_of_critic(config):
    """V9 verl/workers/engine_workers.py:290-316: a dataloader of mini-batches for each epoch."""
    return config.get("data.train_batch_size") // config.get("critic.ppo_mini_batch_size") * config.get("critic.ppo_epochs")


class Worker:
    """WorkerDict: all roles of one GPU are in one process (create_colocated_worker_cls)."""

    def __init__(self, config, process):
        self.config, self.process = config, process
        self.has_ref, has_critic = uses_reference(config), uses_critic(config)
        if RELEASE <= V71:
            # V61 fsdp_workers.py:198-221 and main_ppo.py: the reference is a worker with its own block.
            self.actor = Profiler(config, ACTOR, process)
            self.ref = Profiler(config, REF, process) if self.has_ref else None
        else:
            # V8 engine_workers.py:457-487: one worker with the actor's block; H :516-525 adds its role as prefix.
            self.actor = Profiler(config, ACTOR, process, "actor_rollout_ref" if self.has_ref else "actor_rollout")
            self.ref = self.actor if self.has_ref else None
        # V8 ray_trainer.py:816-823 passes no profiler_config.
        self.critic = Profiler(config, CRITIC, process, "value_model") if has_critic and RELEASE != V8 else None
        self.has_critic = has_critic

    def groups(self):
        """V61 ray_trainer.py:897-917, V8 :1110-1126, V9 v1/trainer_base.py:1287-1291; H :1308-1315 without doubles."""
        found = [one for one in (self.actor, self.ref, self.critic) if one]
        return list(dict.fromkeys(found)) if RELEASE == HEAD else found

    def run(self):
        steps, total = self.config.get(GLOBAL + ".steps"), self.config.get("trainer.total_training_steps")
        is_joined = self.config.get(GLOBAL + ".profile_continuous_steps")
        profiled = lambda step: steps is not None and step in steps
        was = False
        for step in range(1, total + 1):
            now, later = profiled(step), profiled(step + 1)
            if now and not (is_joined and was):
                for at, group in enumerate(self.groups()):
                    role = ("train" if RELEASE == HEAD else "e2e") if at == 0 else None
                    group.start(role=role, profile_step=step)
            self.train(step, now)
            if now and not (is_joined and later):
                for group in self.groups():
                    group.stop()
            was = now
            if RELEASE <= V71 and self.config.get(ACTOR + ".tool") == "torch_memory":
                # V61 ray_trainer.py:1297-1304, V71 :1608-1614: every step and rank, with the number of the next step.
                # fsdp_workers.py:1121-1131.
                self.actor.dump(f"post_update_step{step + 1}", f"step{step + 1}")

    def train(self, step, is_profiled):
        """V61 ray_trainer.py:1036-1215, V71 :1316-1510, V8 :1455-1650, V9 and H v1/trainer_base.py step()."""
        if RELEASE == V61 and self.config.get("actor_rollout_ref.rollout.mode") == "sync":
            self.actor.stage("rollout_generate")  # V61 fsdp_workers.py:907
        elif is_profiled:
            self.generate(step)
        self.actor.stage("actor_compute_log_prob")
        if self.has_ref:
            self.ref.stage("ref_compute_log_prob")
        if self.critic and RELEASE <= V71:
            self.critic.stage("compute_values")  # V71 fsdp_workers.py:1646; V8 on: infer_batch is not annotated
            self.critic.stage("critic_update")  # V71 fsdp_workers.py:1666
        elif self.critic:
            for _ in range(batches_of_critic(self.config)):
                self.critic.stage("train_batch")  # V9 engine_workers.py:336
        if self.config.get("trainer.critic_warmup") <= step:
            self.actor.stage("actor_update")

    def generate(self, step):
        """The engine process of this GPU: vllm_async_server.py, V71:141-150,649-663, V9:167-176,825-843, H:856-874."""
        config, rollout = self.config, "actor_rollout_ref.rollout."
        is_started = RELEASE in (V71, V8, HEAD) or RELEASE == V9 and not config.get("trainer.use_v1")
        size = config.get(rollout + "tensor_model_parallel_size") * config.get(rollout + "data_parallel_size") * \
            config.get(rollout + "pipeline_model_parallel_size")
        replica = self.process.rank // size
        if not is_started or config.get(ROLLOUT + ".tool") != "torch" or not config.get(ROLLOUT + ".enable") or \
                not config.get(ROLLOUT + ".tool_config.torch.discrete"):
            return
        ranks = config.get(ROLLOUT + ".ranks") or [0]
        if RELEASE == HEAD:  # config.py build_rollout_dist_profiler: global ranks select their replica
            ranks = [rank // size for rank in ranks]
        if not config.get(ROLLOUT + ".all_ranks") and replica not in ranks:
            return
        # V71 config.py:188; the name is vLLM's (vllm v0.11.0 vllm/v1/worker/gpu_worker.py:64-80).
        name = f"{replica:05x}-rank-{self.process.rank % size}.{time.time_ns()}.pt.trace.json.gz"
        put_file(os.path.join(config.get(ROLLOUT + ".save_path"), f"agent_loop_rollout_replica_{replica}", name),
                 kineto(self.process.rank, self.process.world, "engine"))


def session_folder(config):
    """Returns Ray's session folder, and lets session_latest point to it. The default is /tmp/ray, here in STATE."""
    temp = config.get("ray_kwargs.ray_init._temp_dir")
    if temp is None:
        temp = os.path.join(os.environ.get("RAY_TMPDIR") or STATE / "tmp", "ray")
    folder = pathlib.Path(temp) / f"session_2026-08-22_10-11-12_{os.getpid()}"
    (folder / "logs/nsight").mkdir(parents=True)
    latest = folder.parent / "session_latest"
    latest.unlink(missing_ok=True)
    latest.symlink_to(folder.name)
    return folder


def start(work):
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except SystemExit as error:
            print(error, file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    return pid


def main():
    config = Config(sys.argv[1:])
    folder = session_folder(config) / "logs/nsight"
    nsys = config.get(GLOBAL + ".tool") == "nsys" and bool(config.get(GLOBAL + ".steps"))
    options = config.below(GLOBAL + ".global_tool_config.nsys.worker_nsight_options")
    if nsys and options["capture-range-end"] is None:  # V61 verl/single_controller/ray/base.py:307, H :467
        options["capture-range-end"] = f"repeat-shutdown:{6 * len(config.get(GLOBAL + '.steps'))}"
    world = config.get("trainer.nnodes") * config.get("trainer.n_gpus_per_node")

    def work(rank):
        process = Process(rank, world, Nsys(options if nsys else {"capture-range": "none"}, folder))
        Worker(config, process).run()
        process.nsys.exit()

    def control():  # V61 verl/trainer/main_ppo.py:81-93, H :76-91; the controller never calls cudaProfilerStart
        if nsys:
            Nsys(config.below(GLOBAL + ".global_tool_config.nsys.controller_nsight_options"), folder).exit()

    children = [start(control)] + [start(lambda rank=rank: work(rank)) for rank in range(world)]
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
    for step in range(1, config.get("trainer.total_training_steps") + 1):
        print(f"step:{step} - loss:0.5", flush=True)
    sys.exit(max(codes))


if __name__ == "__main__":
    main()
