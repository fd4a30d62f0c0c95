// SPDX-License-Identifier: Apache-2.0
// CuptiLibrary is the libcupti found in this process or on this machine, together with the functions that are
// used. No CUDA library is linked. Created once, never unloaded.
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

// Functions that exist in every supported version.
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
    uint32_t version = 0; // CUPTI_API_VERSION of the loaded library
#define LOCKSTEP_CUPTI_MEMBER(name) decltype(&::name) name = nullptr;
    LOCKSTEP_CUPTI_FUNCTIONS(LOCKSTEP_CUPTI_MEMBER)
#undef LOCKSTEP_CUPTI_MEMBER
    // CUDA 11.x and later; nullptr in earlier versions.
    CUptiResult (*cuptiSetThreadIdType)(uint32_t type) = nullptr;
    CUptiResult (*cuptiActivityRegisterTimestampCallback)(uint64_t (*now)()) = nullptr;
    CUptiResult (*cuptiActivityEnableDriverApi)(CUpti_CallbackId id, uint8_t isOn) = nullptr;
    // 13.0 and later: reports which tool uses CUPTI. The struct is CUpti_SubscriberParams.
    CUptiResult (*cuptiSubscribe_v2)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*, void*) = nullptr;

    // Values of CUPTI_API_VERSION; 12 is that of CUDA 10.0.
    static constexpr uint32_t kOldest = 12;
    static constexpr uint32_t kCuda11 = 13;

    // Loads the given path only. If no path is given, tries these libraries in order: the one already in the
    // process, the loader's, the toolkit's, and those of Python packages next to loaded libraries. On
    // failure, returns false and sets `tried` to a description of what was tried.
    bool load(const std::string& given, std::string& tried);

  private:
    bool open(const std::string& candidate, bool onlyIfLoaded);
};

} // namespace lockstep::capture
