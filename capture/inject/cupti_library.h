// SPDX-License-Identifier: Apache-2.0
// CuptiLibrary: libcupti as it was found in this process or on this machine, and the functions of it that are
// used. Nothing of CUDA is linked. Made once, never unloaded.
#pragma once

#include <cuda.h>
#include <cupti.h>
#if __has_include(<cupti_activity_deprecated.h>)
#include <cupti_activity_deprecated.h>
#endif

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::capture {

// What every version that is supported has.
#define LOCKSTEP_CUPTI_FUNCTIONS(X)                                                                          \
    X(cuptiGetVersion)                                                                                       \
    X(cuptiGetResultString)                                                                                  \
    X(cuptiSubscribe)                                                                                        \
    X(cuptiEnableCallback)                                                                                   \
    X(cuptiGetCallbackName)                                                                                  \
    X(cuptiActivityRegisterCallbacks)                                                                        \
    X(cuptiActivityEnable)                                                                                   \
    X(cuptiActivityDisable)                                                                                  \
    X(cuptiActivityFlushAll)                                                                                 \
    X(cuptiActivityGetNextRecord)                                                                            \
    X(cuptiActivityGetNumDroppedRecords)

struct CuptiLibrary {
    void* handle = nullptr;
    std::string path;
    uint32_t version = 0; // CUPTI_API_VERSION of the library that was found
#define LOCKSTEP_CUPTI_MEMBER(name) decltype(&::name) name = nullptr;
    LOCKSTEP_CUPTI_FUNCTIONS(LOCKSTEP_CUPTI_MEMBER)
#undef LOCKSTEP_CUPTI_MEMBER
    // CUDA 11.x and later; nullptr before.
    CUptiResult (*cuptiSetThreadIdType)(uint32_t type) = nullptr;
    CUptiResult (*cuptiActivityRegisterTimestampCallback)(uint64_t (*now)()) = nullptr;
    CUptiResult (*cuptiActivityEnableDriverApi)(CUpti_CallbackId id, uint8_t isOn) = nullptr;
    // 13.0: tells who holds CUPTI. The struct is CUpti_SubscriberParams.
    CUptiResult (*cuptiSubscribe_v2)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*, void*) = nullptr;

    // CUPTI_API_VERSION numbers: 12 for CUDA 10.0.
    static constexpr uint32_t kOldest = 12;
    static constexpr uint32_t kCuda11 = 13;

    // The given path alone, or the first that loads of: one that the process has already, the loader's, the
    // toolkit's, those of Python packages beside the libraries that are loaded. False with what was tried.
    bool load(const std::string& given, std::string& tried);

  private:
    bool open(const std::string& candidate, bool onlyIfLoaded);
};

} // namespace lockstep::capture
