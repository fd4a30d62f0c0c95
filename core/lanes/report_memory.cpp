// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/report_memory.h"

namespace lockstep {

size_t ReportMemory::residentBytes() const
{
    return replay.residentBytes() + categories.capacity() * sizeof(MemoryCategory);
}

std::shared_ptr<const ReportMemory> replayMemory(const Report& report, const Progress& progress)
{
    if (!report.memory) return nullptr;
    Result<AllocatorReplay> replay = replayAllocator(report, progress);
    if (!replay) return nullptr; // canceled is its only error
    return std::make_shared<const ReportMemory>(
        ReportMemory{std::move(*replay), stackCategories(*report.memory, report.strings)});
}

} // namespace lockstep
