// SPDX-License-Identifier: Apache-2.0
// A program that uses CUPTI before any injection is loaded. The NVTX half must still be recorded.
#include <cuda_runtime.h>
#include <cupti.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdio>

int main()
{
    CUpti_SubscriberHandle subscriber = nullptr;
    CUpti_SubscriberParams names = {};
    names.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    names.subscriberName = "Earlier Tool";
    const CUptiResult taken = cuptiSubscribe_v2(
        &subscriber, [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}, nullptr, &names);
    nvtxRangePushA("beside another tool");
    const cudaError_t used = cudaFree(nullptr);
    nvtxRangePop();
    std::printf("%d %d\n", int(taken), int(used));
    return used == cudaSuccess ? 0 : 1;
}
