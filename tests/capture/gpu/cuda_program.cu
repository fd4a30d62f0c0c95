// SPDX-License-Identifier: Apache-2.0
// A CUDA program that logs its launches: cuda_program MODE LOG. A log line has the kind, the name or size,
// and the stream. Modes: all (no capture range of its own), profiler (two ranges by cudaProfilerStart and
// Stop), bench (prints the nanoseconds per launch).
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

std::FILE* g_log = nullptr;

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        const cudaError_t error = (call);                                                                    \
        if (error != cudaSuccess) {                                                                          \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                              \
            std::exit(1);                                                                                    \
        }                                                                                                    \
    } while (0)

__global__ void scaleFirst(float* data, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) data[i] *= 1.5f;
}

__global__ void addSecond(float* data, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) data[i] += 2.0f;
}

template<int kRounds>
__global__ void spinThird(float* data, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    for (int round = 0; round < kRounds; ++round)
        data[i] = data[i] * 0.99f + 0.01f;
}

__global__ void emptyKernel() {}

void say(const char* what, const char* name, int stream)
{
    if (g_log != nullptr) std::fprintf(g_log, "%s\t%s\t%d\n", what, name, stream);
}

constexpr int kCount = 1 << 16, kStreams = 3;
float* g_device = nullptr;
float* g_host = nullptr;
cudaStream_t g_streams[kStreams];

void launch(int which, int stream)
{
    const dim3 grid(kCount / 256), block(256);
    if (which == 0) scaleFirst<<<grid, block, 0, g_streams[stream]>>>(g_device, kCount);
    else if (which == 1) addSecond<<<grid, block, 0, g_streams[stream]>>>(g_device, kCount);
    else spinThird<200><<<grid, block, 0, g_streams[stream]>>>(g_device, kCount);
    const char* const names[] = {"scaleFirst", "addSecond", "spinThird"};
    say("kernel", names[which], stream);
}

// Makes 600 launches on three streams with copies and memsets between them, all inside NVTX ranges.
void streams()
{
    nvtxRangePushA("streams");
    cudaEvent_t event;
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    for (int i = 0; i < 600; ++i) {
        launch(i % 3, (i / 2) % kStreams);
        if (i % 100 == 0) {
            CHECK(cudaMemcpyAsync(g_device, g_host, 4096, cudaMemcpyHostToDevice, g_streams[0]));
            say("copy", "4096", 0);
            CHECK(cudaMemcpyAsync(g_host, g_device, 8192, cudaMemcpyDeviceToHost, g_streams[1]));
            say("copy", "8192", 1);
            CHECK(cudaMemsetAsync(g_device, 0, 16384, g_streams[2]));
            say("set", "16384", 2);
            CHECK(cudaEventRecord(event, g_streams[0]));
            CHECK(cudaStreamWaitEvent(g_streams[1], event, 0));
        }
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(event));
    nvtxRangePop();
}

// Launches a graph of five kernels twenty times.
void graphs()
{
    nvtxRangePushA("graphs");
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    std::FILE* const log = g_log;
    g_log = nullptr;
    CHECK(cudaStreamBeginCapture(g_streams[0], cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 5; ++i)
        launch(i % 3, 0);
    CHECK(cudaStreamEndCapture(g_streams[0], &graph));
    g_log = log;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    const char* const names[] = {"scaleFirst", "addSecond", "spinThird"};
    for (int round = 0; round < 20; ++round) {
        CHECK(cudaGraphLaunch(executable, g_streams[0]));
        for (int i = 0; i < 5; ++i)
            say("kernel", names[i % 3], 0);
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    nvtxRangePop();
}

void bench()
{
    constexpr int kLaunches = 100'000;
    double best = 1e18;
    for (int round = 0; round < 5; ++round) {
        CHECK(cudaDeviceSynchronize());
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < kLaunches; ++i) {
            emptyKernel<<<1, 32, 0, g_streams[0]>>>();
            if (i % 500 == 0) CHECK(cudaStreamSynchronize(g_streams[0]));
        }
        CHECK(cudaDeviceSynchronize());
        const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
        best = std::min(best, spent.count() / kLaunches);
    }
    std::printf("%.0f\n", best);
}

void inRange(void (*work)())
{
    CHECK(cudaProfilerStart());
    std::FILE* const log = g_log;
    work();
    CHECK(cudaProfilerStop());
    g_log = log;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 3) return 2;
    const char* const mode = argv[1];
    std::FILE* const log = std::fopen(argv[2], "w");
    CHECK(cudaMalloc(&g_device, kCount * sizeof(float)));
    CHECK(cudaMallocHost(&g_host, kCount * sizeof(float)));
    for (cudaStream_t& stream : g_streams)
        CHECK(cudaStreamCreate(&stream));
    if (std::strcmp(mode, "bench") == 0) {
        bench();
    } else if (std::strcmp(mode, "profiler") == 0) {
        launch(0, 0); // before any range
        g_log = log;
        inRange(streams);
        g_log = nullptr;
        launch(1, 0); // between two
        CHECK(cudaDeviceSynchronize());
        g_log = log;
        say("range", "second", 0);
        inRange([] {
            for (int i = 0; i < 10; ++i)
                launch(2, 0); // still running when the range ends
        });
        g_log = nullptr;
        launch(2, 0);
    } else {
        g_log = log;
        streams();
        graphs();
        launch(2, 1); // nothing waits for it
    }
    std::fclose(log);
    return 0;
}
