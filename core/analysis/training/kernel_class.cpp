// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/kernel_class.h"

#include <algorithm>
#include <array>

namespace lockstep {

namespace {

template<size_t N>
bool startsWithAny(std::string_view name, const std::array<std::string_view, N>& prefixes)
{
    return std::ranges::any_of(prefixes, [&](std::string_view part) { return name.starts_with(part); });
}

template<size_t N>
bool containsAny(std::string_view name, const std::array<std::string_view, N>& parts)
{
    return std::ranges::any_of(parts, [&](std::string_view part) { return name.find(part) != name.npos; });
}

} // namespace

std::string_view kernelClassName(KernelClass of)
{
    constexpr std::array<std::string_view, static_cast<size_t>(KernelClass::count)> kNames{
        "COMPUTATION", "COMMUNICATION", "MEMORY", "OTHER"};
    return kNames[static_cast<size_t>(of)];
}

KernelClass kernelClassOf(const Report& report, SliceId slice)
{
    switch (report.slices.kind[slice.value]) {
    case RowKind::memcpy:
    case RowKind::memset:
        return KernelClass::memory;
    case RowKind::kernel:
    case RowKind::graphLaunch:
        return report.slices.category[slice.value] == SliceCategory::communication
                   ? KernelClass::communication
                   : KernelClass::computation;
    default:
        return KernelClass::other;
    }
}

KernelClass htaClassOf(std::string_view name)
{
    constexpr std::array<std::string_view, 3> kCommunication{"nccl", "hip", "hccl"};
    constexpr std::array<std::string_view, 5> kMemory{"Memcpy", "Memset", "hipMemcpy", "hipMemset", "dma"};
    constexpr std::array<std::string_view, 4> kExcludedAnywhere{"Memcpy", "Memset", "dma", "Sync"};
    constexpr std::array<std::string_view, 7> kExcludedPrefixes{"Stream Wait Event",
                                                                "runFunction",
                                                                "job_exe",
                                                                "packet",
                                                                "pe_exe",
                                                                "cpum_exe_subgraph",
                                                                "collective_subgraph_execution"};
    if (startsWithAny(name, kCommunication) || name.find("ncclKernel") != name.npos)
        return KernelClass::communication;
    if (startsWithAny(name, kMemory)) return KernelClass::memory;
    const bool isLaunch = name.starts_with("cuda") && name.find("LaunchKernel") != name.npos;
    const bool isOther =
        isLaunch || containsAny(name, kExcludedAnywhere) || startsWithAny(name, kExcludedPrefixes);
    return isOther ? KernelClass::other : KernelClass::computation;
}

} // namespace lockstep
