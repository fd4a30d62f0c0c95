// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/event_category.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lockstep {

namespace {

struct Known {
    std::string_view category;
    EventClass what;
};

constexpr EventClass kKernel{RowKind::kernel, TrackKind::gpuStream, SliceCategory::compute, true};
constexpr EventClass kCopyClass{RowKind::memcpy, TrackKind::gpuStream, SliceCategory::copyOnDevice, true};
constexpr EventClass kMemset{RowKind::memset, TrackKind::gpuStream, SliceCategory::memset, true};
constexpr EventClass kSync{RowKind::synchronization, TrackKind::gpuSync, SliceCategory::synchronization,
                           true};
constexpr EventClass kCudaEvent{RowKind::cudaEvent, TrackKind::gpuSync, SliceCategory::synchronization, true};
constexpr EventClass kGpuAnnotation{RowKind::gpuAnnotation, TrackKind::gpuAnnotation, SliceCategory::nvtx,
                                    true};
constexpr EventClass kOp{RowKind::op, TrackKind::ops, SliceCategory::op, true};
constexpr EventClass kAnnotation{RowKind::userAnnotation, TrackKind::ops, SliceCategory::nvtx, true};
constexpr EventClass kRuntime{RowKind::runtimeApi, TrackKind::cudaApi, SliceCategory::cudaApi, true};
constexpr EventClass kDriver{RowKind::driverApi, TrackKind::cudaApi, SliceCategory::cudaApi, true};
constexpr EventClass kPython{RowKind::python, TrackKind::python, SliceCategory::python, true};
constexpr EventClass kOverhead{RowKind::overhead, TrackKind::overhead, SliceCategory::overhead, true};
constexpr EventClass kMemoryEvent{RowKind::memoryEvent, TrackKind::memoryEvents, SliceCategory::other, true};

constexpr std::array kKnown{
    Known{"cpu_op", kOp},
    Known{"kernel", kKernel},
    Known{"cuda_runtime", kRuntime},
    Known{"python_function", kPython},
    Known{"cuda_driver", kDriver},
    Known{"gpu_memcpy", kCopyClass},
    Known{"gpu_memset", kMemset},
    Known{"user_annotation", kAnnotation},
    Known{"gpu_user_annotation", kGpuAnnotation},
    Known{"cuda_sync", kSync},
    Known{"cuda_event", kCudaEvent},
    Known{"cpu_instant_event", kMemoryEvent},
    Known{"overhead", kOverhead},
    Known{"Operator", kOp},
    Known{"Kernel", kKernel},
    Known{"Memcpy", kCopyClass},
    Known{"Memset", kMemset},
    Known{"Runtime", kRuntime},
    Known{"hip_runtime", kRuntime},
    Known{"hip_driver", kDriver},
    Known{"hip", kRuntime},
    Known{"xpu_runtime", kRuntime},
    Known{"xpu_driver", kDriver},
    Known{"mtia_runtime", kRuntime},
    Known{"mtia_ccp_events", kKernel}, // runs on the device, according to Kineto's ActivityType.h
    Known{"glow_runtime", kRuntime},
    Known{"privateuse1_runtime", kRuntime},
    Known{"privateuse1_driver", kDriver},
    Known{"xpu_sync", kSync},
};

struct CopyWord {
    std::string_view word;
    CopyKind kind;
};

// Kineto: memcpyKindString(); ROCm writes CopyHostToDevice and the like.
constexpr std::array kCopyWords{
    CopyWord{"HtoD", CopyKind::hostToDevice},
    CopyWord{"DtoH", CopyKind::deviceToHost},
    CopyWord{"HtoA", CopyKind::hostToArray},
    CopyWord{"AtoH", CopyKind::arrayToHost},
    CopyWord{"AtoA", CopyKind::arrayToArray},
    CopyWord{"AtoD", CopyKind::arrayToDevice},
    CopyWord{"DtoA", CopyKind::deviceToArray},
    CopyWord{"DtoD", CopyKind::deviceToDevice},
    CopyWord{"HtoH", CopyKind::hostToHost},
    CopyWord{"PtoP", CopyKind::peerToPeer},
    CopyWord{"HostToDevice", CopyKind::hostToDevice},
    CopyWord{"DeviceToHost", CopyKind::deviceToHost},
    CopyWord{"DeviceToDevice", CopyKind::deviceToDevice},
};

struct MemoryWord {
    std::string_view word;
    MemoryKind kind;
};

// Kineto: memoryKindString().
constexpr std::array kMemoryWords{
    MemoryWord{"Pageable", MemoryKind::pageable},
    MemoryWord{"Pinned", MemoryKind::pinned},
    MemoryWord{"Device", MemoryKind::device},
    MemoryWord{"Array", MemoryKind::array},
    MemoryWord{"Managed", MemoryKind::managed},
    MemoryWord{"Device Static", MemoryKind::deviceStatic},
    MemoryWord{"Managed Static", MemoryKind::managedStatic},
};

MemoryKind memoryKindOf(std::string_view word)
{
    const auto found = std::ranges::find(kMemoryWords, word, &MemoryWord::word);
    return found != kMemoryWords.end() ? found->kind : MemoryKind::unknown;
}

} // namespace

EventClass classOfCategory(std::string_view category)
{
    const auto found = std::ranges::find(kKnown, category, &Known::category);
    return found != kKnown.end() ? found->what : EventClass();
}

bool readsArguments(std::string_view category)
{
    return category != "cpu_op" && category != "python_function" && category != "user_annotation";
}

MemoryOp memoryOpOfName(std::string_view name)
{
    MemoryOp op;
    const size_t open = name.find('(');
    const size_t close = name.find(')', open == std::string_view::npos ? 0 : open);
    const bool hasKinds = open != std::string_view::npos && close != std::string_view::npos;
    const std::string_view kinds = hasKinds ? name.substr(open + 1, close - open - 1) : std::string_view();
    if (name.starts_with("Memset") || name.find("Fill") != std::string_view::npos) {
        op.kind = CopyKind::memset;
        op.destination = memoryKindOf(kinds);
        return op;
    }
    for (const CopyWord& known : kCopyWords) {
        if (name.substr(0, open).find(known.word) != std::string_view::npos) op.kind = known.kind;
    }
    const size_t arrow = kinds.find(" -> ");
    if (arrow == std::string_view::npos) return op;
    op.source = memoryKindOf(kinds.substr(0, arrow));
    op.destination = memoryKindOf(kinds.substr(arrow + 4));
    return op;
}

} // namespace lockstep
