// SPDX-License-Identifier: Apache-2.0
#include "capture/demo/gpu_work.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>

namespace lockstep::demo {

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

namespace {

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

} // namespace

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

} // namespace lockstep::demo
