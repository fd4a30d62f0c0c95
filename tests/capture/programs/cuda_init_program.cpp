// SPDX-License-Identifier: Apache-2.0
// Does what the CUDA driver does in cuInit: loads CUDA_INJECTION64_PATH and calls InitializeInjection. Then
// makes some NVTX calls and, with an argument, a profiler range in the stand-in.
#include <cstdio>

#include "capture/demo/nvtx_client.h"

int main(int argc, char** argv)
{
    void* const library = dlopen(std::getenv("CUDA_INJECTION64_PATH"), RTLD_NOW);
    if (library == nullptr) return 2;
    const auto initializeCuda = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
    if (initializeCuda == nullptr || initializeCuda() != 1) return 3;
    client::push("before");
    client::pop();
    if (argc > 1) {
        void* const standin = dlopen(argv[1], RTLD_NOW);
        const auto profiler = reinterpret_cast<void (*)(int)>(dlsym(standin, "standinProfiler"));
        if (profiler == nullptr) return 4;
        profiler(1);
        client::push("inside");
        client::pop();
        profiler(0);
    }
    client::push("after");
    client::pop();
    dlclose(library);
    return 0;
}
