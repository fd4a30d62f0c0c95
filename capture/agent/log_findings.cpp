// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/log_findings.h"

#include <array>
#include <cctype>
#include <charconv>

#include "core/base/report_formats.h"
#include "core/base/words.h"

namespace lockstep::agent {

namespace {

struct Failure {
    std::string_view needle; // text printed by the program
    std::string_view word;
    std::string_view text;
};

constexpr std::string_view kNoNsys =
    "nsys was not found in PATH on this node; install Nsight Systems or set its folder in the session";
constexpr std::string_view kCounters =
    "the driver allows only administrators to read GPU counters; load it with "
    "NVreg_RestrictProfilingToAdminUsers=0";
constexpr std::string_view kTaken = "another profiler already uses CUPTI in this process; use one tool at a "
                                    "time, and unset CUDA_INJECTION64_PATH and "
                                    "NVTX_INJECTION64_PATH if the image sets them";
constexpr std::string_view kRuntimeEnv =
    "Ray could not prepare the worker's environment; if nsys options are set, "
    "nsys rejected one of them";
constexpr std::string_view kOption =
    "this version of nsys does not support an option of the session; check the session against the hosts";
constexpr std::string_view kOverride =
    "the configuration has no such key; check the framework version in the session";
constexpr std::string_view kCudaMemory =
    "a GPU ran out of memory; record fewer ranks or less detail, or reduce the batch size";
constexpr std::string_view kNodeLost =
    "a node of the Ray cluster failed or cannot be reached; see the status of that node";

// More specific findings must come first. The texts are those printed by CUPTI and the NVIDIA driver, shells,
// nsys, Ray, Hydra and OmegaConf, PyTorch, the Linux kernel and NCCL.
constexpr std::array kFailures = std::to_array<Failure>({
    {"CUPTI_ERROR_MULTIPLE_SUBSCRIBERS", "cupti_taken", kTaken},
    {"CUPTI_ERROR_HARDWARE_BUSY", "cupti_taken", kTaken},
    {"CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", "cupti_permission", kCounters},
    {"ERR_NVGPUCTRPERM", "cupti_permission", kCounters},
    {"nsys: command not found", "nsys_missing", kNoNsys},
    {"nsys: not found", "nsys_missing", kNoNsys},
    {"No such file or directory: 'nsys'", "nsys_missing", kNoNsys},
    {"nsys is not installed", "nsys_missing", kNoNsys},
    {"No module named 'nvtx'", "nvtx_missing",
     "the profiler needs the Python package nvtx, which is not installed here; run pip install nvtx"},
    {"unrecognised option", "wrong_option", kOption},
    {"unrecognized option", "wrong_option", kOption},
    {"Illegal --", "wrong_option", kOption},
    {"No CUDA activity captured", "nothing_captured",
     "no GPU work was recorded; the capture range did not cover any, or the program used no GPU"},
    {"does not contain CUDA trace data", "nothing_captured",
     "no GPU work was recorded; the capture range did not cover any, or the program used no GPU"},
    {"Failed to set up runtime environment", "runtime_env", kRuntimeEnv},
    {"RuntimeEnvSetupError", "runtime_env", kRuntimeEnv},
    {"Could not override", "wrong_override",
     "Hydra rejected an override: the configuration has no such key; check the framework version in the session"},
    {"Could not append to config", "wrong_override",
     "Hydra rejected an override with +: the key already exists; use ++ or no prefix"},
    {"Error parsing override", "wrong_override", "Hydra could not parse an override; check its quotes"},
    {"ConfigAttributeError", "wrong_override", kOverride},
    {"ConfigKeyError", "wrong_override", kOverride},
    {"is not in struct", "wrong_override", kOverride},
    {"CUDA out of memory", "cuda_oom", kCudaMemory},
    {"torch.OutOfMemoryError", "cuda_oom", kCudaMemory},
    {"oom-kill", "host_oom", "the kernel killed a process because this node ran out of memory"},
    {"OutOfMemoryError: Task was killed", "host_oom",
     "Ray killed a task because this node ran out of memory"},
    {"due to the node running low on memory", "host_oom",
     "Ray killed a worker because this node ran out of memory"},
    {"No space left on device", "disk_full",
     "a disk of this node is full; free space or choose another folder for reports"},
    {"Disk quota exceeded", "disk_full",
     "the disk quota is used up; free space or choose another folder for reports"},
    {"perf_event_paranoid", "perf_paranoid",
     "CPU sampling is not allowed here (perf_event_paranoid is above 2); turn off sampling or lower that value"},
    {"has fallen off the bus", "gpu_lost", "a GPU of this node failed; restart the node"},
    {"NCCL WARN Cuda failure", "nccl", "NCCL reported a CUDA error; see the lines before this one"},
    {"Watchdog caught collective operation timeout", "nccl",
     "a collective operation timed out waiting for other ranks; find the rank that stopped first"},
    {"NodeDiedError", "node_lost", kNodeLost},
    {"missed too many heartbeats", "node_lost", kNodeLost},
    {"Failed to connect to GCS", "node_lost",
     "this node cannot reach the Ray head; check that the head is running and its port is open"},
    {"No route to host", "node_lost", "this node has no network route to another node"},
    {"WorkerCrashedError", "actor_died", "a Ray worker crashed; see its worker log"},
    {"ActorDiedError", "actor_died", "a Ray actor died; see the lines before this one or the worker log"},
    {"RayActorError", "actor_died", "a Ray actor died; see the lines before this one or the worker log"},
    {"RayTaskError", "ray_task", "a Ray task failed; see the traceback around this line"},
    {"ray.exceptions.", "ray_error", "Ray raised an exception; see the lines around this one"},
});

std::optional<int64_t> leadingNumber(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == ':' || text.front() == '='))
        text.remove_prefix(1);
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && value >= 0 ? std::optional(value) : std::nullopt;
}

std::optional<std::string_view> after(std::string_view line, std::string_view marker)
{
    const size_t at = line.find(marker);
    return at == std::string_view::npos ? std::nullopt : std::optional(line.substr(at + marker.size()));
}

// Same as after(), but only if the marker begins a word: "timestep:" is not a step.
std::optional<std::string_view> afterWord(std::string_view line, std::string_view marker)
{
    const auto rest = after(line, marker);
    const size_t at = rest ? line.size() - rest->size() - marker.size() : 0;
    const bool isInside =
        at > 0 && (std::isalnum(static_cast<unsigned char>(line[at - 1])) != 0 || line[at - 1] == '_');
    return isInside ? std::nullopt : rest;
}

// Returns the text without surrounding blanks and quotes.
std::string_view unquoted(std::string_view text)
{
    return trimmed(text, " \t\r'\"");
}

// Returns the text after its leading digits.
std::string_view afterNumber(std::string_view text)
{
    return text.substr(std::min(text.find_first_not_of("0123456789"), text.size()));
}

// Returns what the first sign in a line says.
std::optional<LogFinding> signFinding(std::string_view line, const std::vector<LogSign>& signs)
{
    for (const LogSign& sign : signs) {
        if (sign.kind == LogSign::Kind::timing || !sign.pattern.matches(line)) continue;
        const Pattern::Groups groups = sign.pattern.allMatches(line).front();
        if (sign.kind == LogSign::Kind::controller)
            return LogFinding{LogFindingKind::controller,
                              {},
                              std::string(groups["host"]) + " " + std::string(groups["pid"]),
                              {},
                              {},
                              {}};
        if (sign.kind == LogSign::Kind::worker)
            return LogFinding{LogFindingKind::workerProfiled, {}, std::string(groups["name"]), {}, {}, {}};
        const auto step = leadingNumber(groups["step"]);
        if (!step) continue;
        const char* const mark = sign.kind == LogSign::Kind::stepBegins ? stepMark::kBegins
                                 : sign.kind == LogSign::Kind::stepEnds ? stepMark::kEnds
                                                                        : "";
        return LogFinding{LogFindingKind::step, step, {}, {}, {}, mark};
    }
    return std::nullopt;
}

std::optional<LogFinding> stepFinding(std::string_view line)
{
    // Many programs print "global_step" or "Step 12/100", before or after the step.
    static constexpr std::array<std::string_view, 5> kMarkers{"training/global_step", "global_step",
                                                              "global_steps", "step:", "Step "};
    for (const std::string_view marker : kMarkers) {
        const auto rest = afterWord(line, marker);
        if (!rest || (marker == "Step " && rest->find('/') == std::string_view::npos)) continue;
        if (const auto step = leadingNumber(*rest))
            return LogFinding{LogFindingKind::step, step, {}, {}, {}, {}};
    }
    return std::nullopt;
}

// Recognizes the rank that failed. torchrun prints "failed (exitcode: 1) local_rank: 2 (pid: 4711) of binary"
// (torch/distributed/elastic/multiprocessing/api.py). PyTorch prefixes an uncaught exception with the rank
// (torch/distributed/distributed_c10d.py): "[rank2]: Traceback (most recent call last):".
std::optional<LogFinding> rankFinding(std::string_view line)
{
    const auto failure = [](std::string text) {
        return LogFinding{LogFindingKind::failure, {}, {}, std::string(kRankFailed), std::move(text), {}};
    };
    if (const auto status = after(line, "failed (exitcode: ")) {
        const auto rank = after(*status, "local_rank: "), pid = after(*status, "(pid: ");
        const bool isSignal = status->starts_with('-');
        const auto code = leadingNumber(isSignal ? status->substr(1) : *status);
        if (rank && pid && code && leadingNumber(*rank) && leadingNumber(*pid))
            return failure("local rank " + std::to_string(*leadingNumber(*rank)) + " (process " +
                           std::to_string(*leadingNumber(*pid)) +
                           (isSignal ? ") was ended by signal " : ") ended with exit status ") +
                           std::to_string(*code));
    }
    const auto rank = after(line, "[rank");
    if (!rank || afterNumber(*rank) != "]: Traceback (most recent call last):") return std::nullopt;
    return failure("rank " + std::to_string(leadingNumber(*rank).value_or(0)) + " raised an exception");
}

std::optional<LogFinding> profilerFinding(std::string_view line)
{
    const auto plain = [](LogFindingKind kind) { return LogFinding{kind, {}, {}, {}, {}, {}}; };
    if (line.find("Capture range started") != std::string_view::npos)
        return plain(LogFindingKind::captureStarted);
    if (line.find("Capture range ended") != std::string_view::npos)
        return plain(LogFindingKind::captureEnded);
    if (line.find("Processing events...") != std::string_view::npos) return plain(LogFindingKind::flushing);
    const std::string text(unquoted(line));
    if (text.ends_with(formatNamed("nsys report").suffixes[0]) && text.find('/') != std::string::npos) {
        return LogFinding{LogFindingKind::reportWritten, {}, text.substr(text.find('/')), {}, {}, {}};
    }
    return std::nullopt;
}

} // namespace

std::string withoutEscapes(std::string_view line)
{
    std::string out;
    for (size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '\x1B') {
            out += line[i];
            continue;
        }
        if (i + 1 < line.size() && line[i + 1] == '[') {
            for (i += 2; i < line.size() && (line[i] < '@' || line[i] > '~');)
                ++i;
        }
    }
    return out;
}

std::optional<LogFinding> findingOfLine(std::string_view rawLine, const KnownLines& known)
{
    // Only this much of a line is searched, because findings are at its beginning.
    constexpr size_t kSearched_bytes = 4096;
    rawLine = rawLine.substr(0, std::min(kSearched_bytes, rawLine.find_last_not_of("\r\n") + 1));
    const bool hasEscapes = rawLine.find('\x1B') != std::string_view::npos;
    const std::string plain = hasEscapes ? withoutEscapes(rawLine) : std::string();
    const std::string_view line = hasEscapes ? std::string_view(plain) : rawLine;
    for (const KnownFailure& one : known.failures) {
        if (one.log.matches(line))
            return LogFinding{LogFindingKind::failure, {}, {}, one.failure, one.text, {}};
    }
    for (const Failure& failure : kFailures) {
        if (line.find(failure.needle) != std::string_view::npos) {
            return LogFinding{LogFindingKind::failure,   {}, {}, std::string(failure.word),
                              std::string(failure.text), {}};
        }
    }
    if (auto finding = rankFinding(line)) return finding;
    if (auto finding = signFinding(line, known.signs)) return finding;
    if (auto finding = profilerFinding(line)) return finding;
    return stepFinding(line);
}

} // namespace lockstep::agent
