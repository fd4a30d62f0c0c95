// SPDX-License-Identifier: Apache-2.0
#include "tests/support/demo_async_run.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

namespace lockstep::test {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kStart_ns = 1'787'300'000'000'000'000; // 2026-08-21 06:53:20 UTC
constexpr int64_t kSecond_ns = 1'000'000'000;
constexpr int64_t kKinetoBase_ns = 1'783'000'000'000'000'000;

// SplitMix64, so that the files are the same everywhere.
class RequestRandom {
  public:
    explicit RequestRandom(uint64_t seed) : m_state(seed) {}

    // Uniform in [0, 1).
    double uniform()
    {
        uint64_t z = m_state += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }
    // The exponential of a nearly normal number with this spread, around 1.
    double skewed(double spread)
    {
        double sum = -6;
        for (int i = 0; i < 12; ++i)
            sum += uniform();
        return std::exp(sum * spread);
    }

  private:
    uint64_t m_state;
};

struct Request {
    int64_t start_ns = 0, queue_ns = 0, prefill_ns = 0, end_ns = 0;
    int engine = 0, version = 0;
    int promptTokens = 0, tokens = 0, cachedTokens = 0, preemptions = 0;
};

template<class... Values>
std::string printed(const char* format, Values... values)
{
    std::string text(static_cast<size_t>(std::snprintf(nullptr, 0, format, values...)), '\0');
    std::snprintf(text.data(), text.size() + 1, format, values...);
    return text;
}

std::string seconds(int64_t ns)
{
    return printed("%lld.%09lld", static_cast<long long>(ns / kSecond_ns),
                   static_cast<long long>(ns % kSecond_ns));
}

// Each version's requests arrive in the first third of its step, except for a late group, and decode 60
// tokens per second. The last of them writes ten times the usual answer.
std::vector<Request> requestsOf(const AsyncRunShape& shape)
{
    constexpr double kTokensPerSecond = 60;
    RequestRandom random(7);
    std::vector<Request> requests;
    for (int i = 0; i < shape.requests; ++i) {
        Request request;
        const int perVersion = std::max(1, shape.requests / shape.versions);
        const int number = i % perVersion;
        request.version = std::min(i / perVersion, shape.versions - 1);
        request.engine = i % shape.engines;
        const bool isLast = number == perVersion / 2;
        const int64_t begin_ns = kStart_ns + request.version * kAsyncStep_ns;
        request.start_ns = begin_ns + static_cast<int64_t>(random.uniform() * 33e9);
        request.queue_ns = static_cast<int64_t>(random.uniform() * 2e9 * random.skewed(0.5));
        request.promptTokens = 200 + static_cast<int>(random.uniform() * 1'800);
        request.cachedTokens = static_cast<int>(request.promptTokens * random.uniform());
        request.prefill_ns = 20'000'000 + request.promptTokens * 50'000;
        request.tokens = static_cast<int>(500 * random.skewed(0.55));
        request.tokens = isLast ? 5'200 : std::min(request.tokens, 3'000);
        request.preemptions = random.uniform() < 0.01 ? 1 : 0;
        request.end_ns = request.start_ns + request.queue_ns + request.prefill_ns +
                         static_cast<int64_t>(request.tokens / kTokensPerSecond * 1e9);
        request.end_ns = std::min(request.end_ns, begin_ns + kAsyncStep_ns - kSecond_ns);
        requests.push_back(request);
    }
    return requests;
}

Status write(const fs::path& path, const std::string& text)
{
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) return makeError(ErrorKind::io, path.string() + ": cannot write");
    return {};
}

std::string requestLines(std::vector<Request> requests)
{
    std::ranges::sort(requests, {}, &Request::end_ns); // the server writes a request when it finishes
    std::string text;
    int number = 0;
    for (const Request& request : requests) {
        const int64_t forward_ns = request.start_ns + request.queue_ns;
        text += printed("{\"request_parameters\": \"{}\", \"id\": \"%06d\", \"finish_reason\": {\"type\": "
                        "\"stop\"}, \"prompt_tokens\": %d, \"completion_tokens\": %d, \"cached_tokens\": %d, "
                        "\"weight_version\": \"%d\", \"num_retractions\": %d, \"dp_rank\": %d, ",
                        number++, request.promptTokens, request.tokens, request.cachedTokens,
                        request.version + 1, request.preemptions, request.engine);
        text += "\"request_received_ts\": " + seconds(request.start_ns) +
                ", \"forward_entry_time\": " + seconds(forward_ns) +
                ", \"prefill_finished_time\": " + seconds(forward_ns + request.prefill_ns) +
                ", \"request_finished_ts\": " + seconds(request.end_ns) +
                ", \"queue_time\": " + seconds(request.queue_ns) + "}\n";
    }
    return text;
}

// A step of the trainer, in s from its start: it waits for samples, updates weights, and trains.
struct TrainerPhase {
    const char* name;
    double begin, end;
};
constexpr TrainerPhase kTrainerPhases[] = {{"train_wait", 0, 42},
                                           {"update_weights", 30, 41},
                                           {"update_weights_implementation", 32, 40},
                                           {"finalize_and_resume_engines", 40, 40.8},
                                           {"train", 42, 99},
                                           {"ref_log_probs", 43, 51},
                                           {"log_probs", 51, 59},
                                           {"actor_train", 59, 98.5}};

int64_t phaseTime(int step, double at)
{
    return kStart_ns + step * kAsyncStep_ns + static_cast<int64_t>(at * 1e9);
}

std::string phaseLines(const AsyncRunShape& shape)
{
    std::string text;
    for (int step = 0; step <= shape.versions; ++step) { // the last one only begins
        for (const TrainerPhase& phase : kTrainerPhases) {
            const bool isOpen = step == shape.versions;
            text += printed("{\"name\": \"%s\", \"t0\": ", phase.name) +
                    seconds(phaseTime(step, phase.begin)) +
                    ", \"t1\": " + (isOpen ? "-1.0" : seconds(phaseTime(step, phase.end))) +
                    ", \"node\": \"train0\", \"gpus\": [0], \"rank\": 0, \"role\": \"train\"}\n";
            if (isOpen) break;
        }
    }
    return text;
}

class GpuTrace {
  public:
    GpuTrace(int rank, int world, int gpu, const std::string& host)
        : m_gpu(gpu), m_text(printed("{\"schemaVersion\": 1, \"host_name\": \"%s\", \"distributedInfo\": "
                                     "{\"backend\": \"nccl\", \"rank\": %d, \"world_size\": %d}, "
                                     "\"baseTimeNanoseconds\": %lld, \"traceEvents\": [\n",
                                     host.c_str(), rank, world, static_cast<long long>(kKinetoBase_ns)))
    {
    }

    void kernel(const char* name, int stream, int64_t start_ns, int64_t duration_ns)
    {
        m_text += printed(
            "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"pid\": %d, \"tid\": %d, \"ts\": "
            "%lld.%03lld, \"dur\": %lld.%03lld, \"args\": {\"device\": %d, \"stream\": %d}},\n",
            name, m_gpu, stream, static_cast<long long>((start_ns - kKinetoBase_ns) / 1000),
            static_cast<long long>((start_ns - kKinetoBase_ns) % 1000),
            static_cast<long long>(duration_ns / 1000), static_cast<long long>(duration_ns % 1000), m_gpu,
            stream);
    }
    std::string finished()
    {
        m_text.resize(m_text.size() - 2); // the last comma
        return m_text + "\n]}\n";
    }

  private:
    int m_gpu;
    std::string m_text;
};

std::string trainerTrace(const AsyncRunShape& shape, int rank)
{
    GpuTrace trace(rank, shape.trainers + shape.engines * kAsyncGpusPerEngine, rank % 8,
                   printed("train%d", rank / 8));
    for (int step = 0; step < shape.versions; ++step) {
        for (int i = 0; i < 80; ++i) {
            trace.kernel("ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 20,
                         phaseTime(step, 32 + i * 0.1), 90'000'000);
        }
        for (int i = 0; i < 276; ++i) { // forward passes and updates, 0.2 s each
            trace.kernel("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", 7,
                         phaseTime(step, 43 + i * 0.2), 170'000'000 + rank * 200'000);
        }
    }
    return trace.finished();
}

// Kernels of 200 ms while the engine has requests.
std::string engineTrace(const AsyncRunShape& shape, const std::vector<Request>& requests, int gpu)
{
    const int engine = gpu / kAsyncGpusPerEngine;
    GpuTrace trace(shape.trainers + gpu, shape.trainers + shape.engines * kAsyncGpusPerEngine, gpu % 8,
                   printed("rollout%d", gpu / 8));
    constexpr int64_t kEvery_ns = 200'000'000;
    std::vector<bool> isBusy(static_cast<size_t>(shape.versions * kAsyncStep_ns / kEvery_ns));
    for (const Request& request : requests) {
        if (request.engine != engine) continue;
        const int64_t last = (request.end_ns - kStart_ns) / kEvery_ns;
        for (int64_t at = (request.start_ns + request.queue_ns - kStart_ns) / kEvery_ns; at < last; ++at)
            isBusy[static_cast<size_t>(at)] = true;
    }
    for (size_t i = 0; i < isBusy.size(); ++i) {
        if (isBusy[i])
            trace.kernel("flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4> >", 7,
                         kStart_ns + static_cast<int64_t>(i) * kEvery_ns, 185'000'000);
    }
    return trace.finished();
}

} // namespace

Result<std::vector<fs::path>> writeAsyncRun(const fs::path& folder, const AsyncRunShape& shape)
{
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return makeError(ErrorKind::io, folder.string() + ": cannot create: " + error.message());
    const std::vector<Request> requests = requestsOf(shape);
    std::vector<fs::path> paths{folder / "sglang-request-metrics-20260821_06.log", folder / "phases.jsonl"};
    LOCKSTEP_TRY(write(paths[0], requestLines(requests)));
    LOCKSTEP_TRY(write(paths[1], phaseLines(shape)));
    const int world = shape.trainers + shape.engines * kAsyncGpusPerEngine;
    for (int rank = 0; rank < world; ++rank) {
        const bool isTrainer = rank < shape.trainers;
        paths.push_back(folder / printed("%s_rank%d-of-%d_pid%d_20260821065320000.json",
                                         isTrainer ? "actor" : "rollout", rank, world, 1'000 + rank));
        LOCKSTEP_TRY(write(paths.back(), isTrainer ? trainerTrace(shape, rank)
                                                   : engineTrace(shape, requests, rank - shape.trainers)));
    }
    return paths;
}

} // namespace lockstep::test
