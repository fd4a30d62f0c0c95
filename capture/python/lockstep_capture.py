# SPDX-License-Identifier: Apache-2.0
"""Annotations for a training program and its profiler: steps, stages, counters and collectives. Pure Python, no dependencies.

    import lockstep_capture as capture

    capture.step(12)
    with capture.annotate(role="actor", stage="update_policy"):
        ...
    @capture.annotate(role="ref", stage="log_prob")
    def log_prob(batch): ...
    capture.counter("loss", 0.25, "nats")
    with capture.collective("AllReduce", group="world", group_size=8, rank=3, sequence=n, size_bytes=bytes):
        ...                                              # while this rank takes part in it

Uses the module `nvtx` if it can be imported, else `torch.cuda.nvtx` if torch is already imported, so that Nsight
Systems shows the same ranges. Otherwise uses liblockstep_capture.so through ctypes if NVTX_INJECTION64_PATH names it.
Without any of these it does nothing. May be called from any thread.
"""
import contextlib
import ctypes
import functools
import os
import sys
import threading

__all__ = ["step", "counter", "annotate", "start_range", "start_collective", "end_range", "collective", "Profiler",
           "backend_name"]


class _Nothing:
    name = "none"

    def start(self, role, stage):
        return None

    def end(self, handle):
        pass

    def step(self, number):
        pass

    def counter(self, name, value, unit):
        pass

    def collective(self, operation, size_bytes):
        return None

    def profiler(self, starts):
        pass


class _Named(_Nothing):
    """Base of backends with their own ranges: a step is a range that lasts until the next step."""

    def __init__(self):
        self._lock = threading.Lock()
        self._open_step = None

    def step(self, number):
        with self._lock:
            if self._open_step is not None:
                self.end(self._open_step)
            self._open_step = None if number < 0 else self.start_named(f"step {number}", "step")

    def start(self, role, stage):
        return self.start_named(stage, role)

    def profiler(self, starts):
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available():
            runtime = torch.cuda.cudart()
            runtime.cudaProfilerStart() if starts else runtime.cudaProfilerStop()
        else:
            _library_profiler(starts)


class _Nvtx(_Named):
    name = "nvtx"

    def __init__(self, module):
        super().__init__()
        self._nvtx = module

    def start_named(self, text, category):
        return self._nvtx.start_range(message=text, domain="lockstep", category=category or None)

    def end(self, handle):
        self._nvtx.end_range(handle)

    def counter(self, name, value, unit):
        text = f"{name} [{unit}]" if unit else name
        try:
            self._nvtx.mark(message=text, domain="lockstep", category="counter", payload=float(value))
        except TypeError:  # versions before 0.2.11 have no payload
            self._nvtx.mark(message=f"{text} = {value}", domain="lockstep")

    def collective(self, operation, size_bytes):
        try:
            return self._nvtx.start_range(message=operation, domain="lockstep", category="collective",
                                          payload=size_bytes)
        except TypeError:
            return self.start_named(operation, "collective")


class _TorchNvtx(_Named):
    """NVTX without domains and categories: the message carries all information."""

    name = "torch.cuda.nvtx"

    def __init__(self, nvtx):
        super().__init__()
        self._nvtx = nvtx

    def start_named(self, text, category):
        shown = text if category in (None, "", "step") else f"{category}/{text}"
        return self._nvtx.range_start(shown)

    def end(self, handle):
        self._nvtx.range_end(handle)

    def counter(self, name, value, unit):
        library = _library()
        if library is not None:
            library.lockstep_counter(name.encode(), float(value), (unit or "").encode())
        else:
            self._nvtx.mark(f"{name} = {value}" + (f" {unit}" if unit else ""))

    def collective(self, operation, size_bytes):
        return self._nvtx.range_start(operation)


class _Library(_Nothing):
    name = "liblockstep_capture"

    def __init__(self, library):
        self._library = library

    def start(self, role, stage):
        return self._library.lockstep_range_start((role or "").encode(), stage.encode())

    def end(self, handle):
        self._library.lockstep_range_end(handle)

    def step(self, number):
        self._library.lockstep_step(number)

    def counter(self, name, value, unit):
        self._library.lockstep_counter(name.encode(), float(value), (unit or "").encode())

    def profiler(self, starts):
        _library_profiler(starts)


@functools.lru_cache(maxsize=None)
def _library():
    path = os.environ.get("NVTX_INJECTION64_PATH", "")
    if "lockstep_capture" not in os.path.basename(path):
        return None
    try:
        library = ctypes.CDLL(path)
        library.lockstep_range_start.restype = ctypes.c_uint64
        library.lockstep_range_start.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
        library.lockstep_range_end.argtypes = [ctypes.c_uint64]
        library.lockstep_step.argtypes = [ctypes.c_int64]
        library.lockstep_counter.argtypes = [ctypes.c_char_p, ctypes.c_double, ctypes.c_char_p]
        if library.lockstep_capture_abi() >= 2:
            library.lockstep_collective_start.restype = ctypes.c_uint64
            library.lockstep_collective_start.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint32,
                                                          ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint64]
    except (OSError, AttributeError):
        return None
    return library


def _library_profiler(starts):
    library = _library()
    if library is not None:
        library.lockstep_profiler_start() if starts else library.lockstep_profiler_stop()


def _chosen():
    try:
        import nvtx

        if nvtx.enabled():
            return _Nvtx(nvtx)
    except (ImportError, AttributeError):
        pass
    torch = sys.modules.get("torch")
    version = getattr(torch, "version", None)
    if getattr(version, "cuda", None) is not None:  # builds without CUDA have the module, but it raises when used
        return _TorchNvtx(torch.cuda.nvtx)
    library = _library()
    return _Library(library) if library is not None else _Nothing()


_lock = threading.Lock()
_backend = None


def _active():
    global _backend
    if _backend is None:
        with _lock:
            if _backend is None:
                _backend = _chosen()
    return _backend


def backend_name():
    """Returns the backend in use: "nvtx", "torch.cuda.nvtx", "liblockstep_capture" or "none"."""
    return _active().name


def step(number):
    """Begins training step `number` and ends the previous one; -1 only ends it."""
    _active().step(int(number))


def counter(name, value, unit=None):
    """Records a value at the current time."""
    _active().counter(name, value, unit)


def start_range(role, stage):
    """Begins a stage. Pass the returned handle to end_range(), in any thread."""
    return _active().start(role, stage)


class _Collective:
    """Handle of a collective that was reported to the library, whatever the backend for other calls."""

    __slots__ = ("number",)

    def __init__(self, number):
        self.number = number


_NO_SEQUENCE = 2**64 - 1


def start_collective(operation, group="world", group_size=0, rank=0, sequence=None, size_bytes=0):
    """Begins a collective, like lockstep_capture_collective() in C: this rank takes part in `operation` ("AllReduce") of
    `size_bytes` until end_range(). `sequence` numbers the operations of the group equally on all its ranks; None if
    they are not numbered. It serves to align clocks and to find stragglers. Other profilers show a range of that name."""
    backend = _active()
    library = _library() if backend.name != "none" else None
    if library is None or library.lockstep_capture_abi() < 2:
        return backend.collective(operation, int(size_bytes))
    number = _NO_SEQUENCE if sequence is None else int(sequence)
    return _Collective(library.lockstep_collective_start(
        operation.encode(), group.encode(), int(group_size), int(rank), number, int(size_bytes)))


def end_range(handle):
    if isinstance(handle, _Collective):
        _library().lockstep_range_end(handle.number)
    elif handle is not None:
        _active().end(handle)


class annotate(contextlib.ContextDecorator):
    """Annotates a stage, as a decorator or in a `with` statement. An exception ends the stage and propagates."""

    def __init__(self, stage=None, role=None):
        self._stage, self._role = stage, role
        self._handles = threading.local()

    def __call__(self, function):
        made = self if self._stage is not None else annotate(function.__name__, self._role)
        return contextlib.ContextDecorator.__call__(made, function)

    def __enter__(self):
        stack = self._handles.__dict__.setdefault("stack", [])
        stack.append(start_range(self._role, self._stage or "stage"))
        return self

    def __exit__(self, *error):
        end_range(self._handles.stack.pop())
        return False


class collective(contextlib.ContextDecorator):
    """Calls start_collective() and end_range(), as a decorator or in a `with` statement. Exceptions propagate."""

    def __init__(self, operation, group="world", group_size=0, rank=0, sequence=None, size_bytes=0):
        self._arguments = (operation, group, group_size, rank, sequence, size_bytes)
        self._handles = threading.local()

    def __enter__(self):
        self._handles.__dict__.setdefault("stack", []).append(start_collective(*self._arguments))
        return self

    def __exit__(self, *error):
        end_range(self._handles.stack.pop())
        return False


class Profiler:
    """Starts and stops recording by the rules of verl's DistProfiler: all ranks with all_ranks, else the listed ranks,
    else rank 0. A step is recorded if it is in `steps` (None: all). Adjacent steps share a report if `continuous`. In
    discrete mode start() and stop() only enable the step, and each stage from annotate() gets its own report."""

    def __init__(self, rank, enable=True, all_ranks=False, ranks=(), steps=None, discrete=False, continuous=False):
        self._is_chosen = bool(enable) and (all_ranks or (rank in ranks if ranks else rank == 0))
        self._steps = None if steps is None else frozenset(steps)
        self._discrete, self._continuous = discrete, continuous
        self._this_step = False
        self._is_open = False

    def check_this_rank(self):
        return self._is_chosen

    def check_this_step(self):
        return self._is_chosen and self._this_step

    def is_discrete_mode(self):
        return self._discrete

    def _is_selected(self, number):
        return self._steps is None or number in self._steps

    def start(self, role=None, profile_step=None):
        """Call before a step. Does nothing for ranks and steps that are not recorded."""
        if not self._is_chosen or (profile_step is not None and not self._is_selected(profile_step)):
            return
        self._this_step = True
        if not self._discrete and not self._is_open:
            self._is_open = True
            _active().profiler(True)

    def stop(self, profile_step=None):
        """Call after a step."""
        if not self._this_step:
            return
        self._this_step = False
        joins = self._continuous and profile_step is not None and self._steps is not None
        if self._is_open and not (joins and self._is_selected(profile_step + 1)):
            self._is_open = False
            _active().profiler(False)

    @contextlib.contextmanager
    def annotate(self, stage, role=None):
        """Annotates a stage. In discrete mode the stage gets its own report if its step is recorded."""
        brackets = self._discrete and self.check_this_step()
        if brackets:
            _active().profiler(True)
        handle = start_range(role, stage) if self.check_this_step() else None
        try:
            yield
        finally:
            end_range(handle)
            if brackets:
                _active().profiler(False)
