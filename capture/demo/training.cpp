// SPDX-License-Identifier: Apache-2.0
#include "capture/demo/training.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

#include "capture/demo/communicator.h"
#include "capture/demo/nvtx_client.h"
#include "capture/include/lockstep_capture.h"

namespace lockstep::demo {

namespace {

// GpuWork runs GPU kernels and copies on a GPU if the driver and a device are found at run time; no CUDA
// library is linked. One object per rank, used on the thread that created it.
struct CudaDriver;

class GpuWork {
  public:
    // Ranks of one host use its devices in turn.
    explicit GpuWork(uint32_t localRank);
    ~GpuWork();
    GpuWork(const GpuWork&) = delete;
    GpuWork& operator=(const GpuWork&) = delete;

    // Returns true if work runs on a GPU. Otherwise text() returns the reason, and the calls below return
    // immediately.
    bool isThere() const { return m_isThere; }
    const std::string& text() const { return m_text; }
    // Runs GPU kernels of about a millisecond each, one after another, until the given time has passed, and
    // waits for them.
    void compute(int milliseconds);
    // Copies to the device and back, and waits for both copies.
    void copy(std::vector<float>& values);

  private:
    bool begin(uint32_t localRank);
    bool check(int result, const char* what);

    CudaDriver* m_driver = nullptr;
    void* m_stream = nullptr;
    void* m_function = nullptr;
    uint64_t m_memory = 0;
    int m_rounds = 4'000;
    bool m_isThere = false;
    std::string m_text;
};

// The required functions of libcuda.so.1, by their ABI names. All of them return 0 on success.
struct CudaDriver {
    int (*cuInit)(unsigned);
    int (*cuDeviceGetCount)(int*);
    int (*cuDeviceGet)(int*, int);
    int (*cuDevicePrimaryCtxRetain)(void**, int);
    int (*cuCtxSetCurrent)(void*);
    int (*cuModuleLoadData)(void**, const void*);
    int (*cuModuleGetFunction)(void**, void*, const char*);
    int (*cuMemAlloc_v2)(uint64_t*, size_t);
    int (*cuStreamCreate)(void**, unsigned);
    int (*cuStreamSynchronize)(void*);
    int (*cuMemcpyHtoDAsync_v2)(uint64_t, const void*, size_t, void*);
    int (*cuMemcpyDtoHAsync_v2)(void*, uint64_t, size_t, void*);
    int (*cuLaunchKernel)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                          void**, void**);
};

using Clock = std::chrono::steady_clock;
constexpr size_t kMemory_bytes = 1u << 20;
constexpr unsigned kBlocks = 64, kThreads = 128;

// Each thread repeatedly multiplies and adds its own number.
constexpr const char* kProgram = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry demo_gemm(.param .u64 demo_data, .param .u32 demo_rounds)
{
    .reg .pred %more;
    .reg .b32 %i<6>;
    .reg .b64 %a<4>;
    .reg .f32 %x;
    ld.param.u64 %a0, [demo_data];
    ld.param.u32 %i0, [demo_rounds];
    cvta.to.global.u64 %a0, %a0;
    mov.u32 %i1, %ctaid.x;
    mov.u32 %i2, %ntid.x;
    mov.u32 %i3, %tid.x;
    mad.lo.s32 %i4, %i1, %i2, %i3;
    mul.wide.u32 %a1, %i4, 4;
    add.s64 %a2, %a0, %a1;
    ld.global.f32 %x, [%a2];
again:
    fma.rn.f32 %x, %x, 0f3F7FFFFE, 0f3A83126F;
    sub.s32 %i0, %i0, 1;
    setp.gt.s32 %more, %i0, 0;
    @%more bra again;
    st.global.f32 [%a2], %x;
    ret;
}
)";

CudaDriver* loadedDriver()
{
    static CudaDriver driver;
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    const auto find = [library](auto& function, const char* name) {
        *reinterpret_cast<void**>(&function) = dlsym(library, name);
        return function != nullptr;
    };
#define LOCKSTEP_DEMO_FIND(name) find(driver.name, #name)
    const bool hasAll = LOCKSTEP_DEMO_FIND(cuInit) && LOCKSTEP_DEMO_FIND(cuDeviceGetCount) &&
                        LOCKSTEP_DEMO_FIND(cuDeviceGet) && LOCKSTEP_DEMO_FIND(cuDevicePrimaryCtxRetain) &&
                        LOCKSTEP_DEMO_FIND(cuCtxSetCurrent) && LOCKSTEP_DEMO_FIND(cuModuleLoadData) &&
                        LOCKSTEP_DEMO_FIND(cuModuleGetFunction) && LOCKSTEP_DEMO_FIND(cuMemAlloc_v2) &&
                        LOCKSTEP_DEMO_FIND(cuStreamCreate) && LOCKSTEP_DEMO_FIND(cuStreamSynchronize) &&
                        LOCKSTEP_DEMO_FIND(cuMemcpyHtoDAsync_v2) &&
                        LOCKSTEP_DEMO_FIND(cuMemcpyDtoHAsync_v2) && LOCKSTEP_DEMO_FIND(cuLaunchKernel);
#undef LOCKSTEP_DEMO_FIND
    return hasAll ? &driver : nullptr;
}

GpuWork::GpuWork(uint32_t localRank)
{
    m_isThere = begin(localRank);
}

GpuWork::~GpuWork() = default; // The process ends after this object, and its context with it.

bool GpuWork::check(int result, const char* what)
{
    if (result == 0) return true;
    m_text = std::string(what) + ": CUDA error " + std::to_string(result);
    return false;
}

bool GpuWork::begin(uint32_t localRank)
{
    m_driver = loadedDriver();
    if (m_driver == nullptr) {
        m_text = "no CUDA driver";
        return false;
    }
    int count = 0, device = 0;
    void *context = nullptr, *program = nullptr;
    if (!check(m_driver->cuInit(0), "cuInit") || !check(m_driver->cuDeviceGetCount(&count), "count"))
        return false;
    if (count < 1) {
        m_text = "no GPU";
        return false;
    }
    const bool isReady =
        check(m_driver->cuDeviceGet(&device, static_cast<int>(localRank) % count), "device") &&
        check(m_driver->cuDevicePrimaryCtxRetain(&context, device), "context") &&
        check(m_driver->cuCtxSetCurrent(context), "context") &&
        check(m_driver->cuModuleLoadData(&program, kProgram), "program") &&
        check(m_driver->cuModuleGetFunction(&m_function, program, "demo_gemm"), "kernel") &&
        check(m_driver->cuMemAlloc_v2(&m_memory, kMemory_bytes), "memory") &&
        check(m_driver->cuStreamCreate(&m_stream, 1), "stream");
    if (isReady) m_text = "device " + std::to_string(device);
    return isReady;
}

void GpuWork::compute(int milliseconds)
{
    const auto until = Clock::now() + std::chrono::milliseconds(milliseconds);
    while (m_isThere && Clock::now() < until) {
        void* arguments[] = {&m_memory, &m_rounds};
        const auto before = Clock::now();
        m_isThere = check(m_driver->cuLaunchKernel(m_function, kBlocks, 1, 1, kThreads, 1, 1, 0, m_stream,
                                                   arguments, nullptr),
                          "launch") &&
                    check(m_driver->cuStreamSynchronize(m_stream), "wait");
        const auto took_us =
            std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - before).count();
        // Adjusts the number of rounds to the device, so that each GPU kernel takes about a millisecond.
        if (took_us < 700) m_rounds = std::min(m_rounds * 2, 50'000'000);
        if (took_us > 2'000) m_rounds = std::max(m_rounds / 2, 1'000);
    }
}

void GpuWork::copy(std::vector<float>& values)
{
    const size_t size = std::min(values.size() * sizeof(float), kMemory_bytes);
    if (!m_isThere) return;
    m_isThere = check(m_driver->cuMemcpyHtoDAsync_v2(m_memory, values.data(), size, m_stream), "copy") &&
                check(m_driver->cuMemcpyDtoHAsync_v2(values.data(), m_memory, size, m_stream), "copy") &&
                check(m_driver->cuStreamSynchronize(m_stream), "wait");
}

using Clock = std::chrono::steady_clock;

class Range {
  public:
    explicit Range(const char* name) { client::push(name); }
    ~Range() { client::pop(); }
    Range(const Range&) = delete;
    Range& operator=(const Range&) = delete;
};

class Training {
  public:
    explicit Training(const TrainingRank& place)
        : m_place(place), m_random(place.rank + 1), m_gpu(place.localRank),
          m_communicator(place.socketName, place.rank)
    {
    }

    int run()
    {
        client::nameThread(static_cast<uint32_t>(::gettid()), "training");
        if (m_gpu.isThere())
            std::printf("rank %u computes on CUDA %s\n", m_place.rank, m_gpu.text().c_str());
        else
            std::printf("rank %u computes on the CPU: %s\n", m_place.rank, m_gpu.text().c_str());
        std::fflush(stdout);
        for (int step = 1; step <= kSteps && m_communicator.problem().empty(); ++step) {
            if (step == kSteps) waitWhileHeld();
            lockstep_capture_step(step);
            rollOut();
            judge();
            updateCritic();
            updateActor();
            tell(step);
        }
        lockstep_capture_step(-1);
        if (m_communicator.problem().empty()) return 0;
        std::fprintf(stderr, "rank %u: %s\n", m_place.rank, m_communicator.problem().c_str());
        return 1;
    }

  private:
    // Each of the four paths ends once a rank has exited.
    bool continues() const { return m_communicator.problem().empty(); }

    // Waits while a test holds the run, for tests that act in the middle of the run.
    static void waitWhileHeld()
    {
        const char* const file = std::getenv("LOCKSTEP_DEMO_HOLD");
        while (file != nullptr && ::access(file, F_OK) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }

    void rollOut()
    {
        const LockstepStage stage("rollout", "rollout_generate");
        for (int token = 0; token < 8 && continues(); ++token) {
            const Range range("decode");
            compute(40);
        }
        std::vector<float> sequences(4'096, 1.0f / static_cast<float>(m_place.rank + 1));
        runCollective(Operation::allGather, sequences);
    }

    void judge()
    {
        const auto stage = [this](const char* role, const char* name, int milliseconds) {
            if (!continues()) return;
            const LockstepStage range(role, name);
            const Range forward("forward");
            compute(milliseconds);
        };
        stage("reward", "compute_rm_score", 60);
        stage("ref", "ref_compute_log_prob", 90);
        stage("actor", "actor_compute_log_prob", 80);
        stage("critic", "critic_compute_values", 70);
        std::vector<float> advantages(1'024, 0.25f);
        runCollective(Operation::allReduce, advantages);
    }

    void updateCritic()
    {
        const LockstepStage stage("critic", "critic_update");
        for (int batch = 0; batch < 2 && continues(); ++batch)
            trainBatch(batch, 20, 30, 1);
    }

    void updateActor()
    {
        {
            const LockstepStage stage("actor", "actor_update");
            for (int batch = 0; batch < 3 && continues(); ++batch)
                trainBatch(batch, 40, 50, 2);
        }
        const LockstepStage stage("rollout", "update_weights");
        std::vector<float> weights(65'536, m_loss);
        m_gpu.copy(weights);
        runCollective(Operation::broadcast, weights);
    }

    void trainBatch(int batch, int forward_ms, int backward_ms, int buckets)
    {
        const Range range(("mini_batch" + std::to_string(batch)).c_str());
        {
            const Range forward("forward");
            compute(forward_ms);
        }
        {
            const Range backward("backward");
            compute(backward_ms);
            std::vector<float> gradients(65'536, m_loss);
            for (int bucket = 0; bucket < buckets; ++bucket)
                runCollective(Operation::allReduce, gradients);
        }
        const Range optimizer("optimizer");
        compute(10);
    }

    // Annotates the collective itself, from the arrival of this rank until all ranks have arrived.
    void runCollective(Operation operation, std::vector<float>& values)
    {
        if (!continues()) return;
        const lockstep_capture_range range =
            lockstep_capture_collective(nameOf(operation), "world", m_place.ranks, m_place.rank,
                                        m_communicator.operations(), values.size() * sizeof(float));
        m_communicator.execute(operation, values);
        lockstep_capture_end(range);
    }

    // Works for this time, plus or minus 10 %. Without a GPU, the thread computes a little and then sleeps
    // for the rest, as if it waited for a device, so that four ranks fit on two CPU cores.
    void compute(int milliseconds)
    {
        const double own = m_place.rank == kStraggler ? kStragglerPercent / 100.0 : 1;
        const double jitter = std::uniform_real_distribution<double>(0.9, 1.1)(m_random);
        const auto length =
            std::chrono::microseconds(static_cast<int64_t>(milliseconds * own * jitter * 1000));
        const auto until = Clock::now() + length;
        const bool wasThere = m_gpu.isThere();
        m_gpu.compute(static_cast<int>(length.count() / 1000));
        if (wasThere && !m_gpu.isThere())
            std::fprintf(stderr, "rank %u continues on the CPU: %s\n", m_place.rank, m_gpu.text().c_str());
        while (Clock::now() < until) {
            multiply();
            std::this_thread::sleep_until(std::min(until, Clock::now() + std::chrono::milliseconds(4)));
        }
    }

    void multiply()
    {
        constexpr size_t kSide = 48;
        static float a[kSide][kSide], b[kSide][kSide];
        for (size_t row = 0; row < kSide; ++row) {
            for (size_t column = 0; column < kSide; ++column) {
                float sum = 0;
                for (size_t i = 0; i < kSide; ++i)
                    sum += a[row][i] * b[i][column];
                a[row][column] = 0.25f + sum / (2 * kSide);
                b[column][row] = 0.125f + sum / (2 * kSide);
            }
        }
        m_loss += (a[1][2] - m_loss) / 256; // smoothed
    }

    void tell(int step)
    {
        if (!continues()) return;
        lockstep_capture_counter("loss", static_cast<double>(m_loss), "nats");
        lockstep_capture_counter("reward", 1 - 1.0 / (step + 1), "");
        if (m_place.rank != 0) return;
        std::printf("step:%d - actor/loss:%.3f - critic/score/mean:%.3f\n", step, static_cast<double>(m_loss),
                    1 - 1.0 / (step + 1));
        std::fflush(stdout);
    }

    const TrainingRank m_place;
    std::mt19937 m_random;
    GpuWork m_gpu;
    Communicator m_communicator;
    float m_loss = 2;
};

} // namespace

int train(const TrainingRank& place)
{
    std::optional<Hub> hub; // destroyed last, when all ranks have left
    if (place.rank == 0) {
        hub.emplace(place.socketName, place.ranks);
        if (!hub->problem().empty()) {
            std::fprintf(stderr, "rank 0: %s\n", hub->problem().c_str());
            return 1;
        }
    }
    return Training(place).run();
}

} // namespace lockstep::demo
