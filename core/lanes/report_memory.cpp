// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/report_memory.h"

namespace lockstep {

size_t ReportMemory::residentBytes() const
{
    size_t bytes = replay.residentBytes() + categories.capacity() * sizeof(MemoryCategory);
    for (const DeviceMemory& device : devices)
        bytes += device.stacks.ofStacks.capacity() + device.byCategory.residentBytes() +
                 device.byStack.residentBytes();
    return bytes;
}

DeviceId deviceOfSubject(const Report& report, const MemorySubject& subject)
{
    DeviceId out;
    for (size_t i = 0; subject.ordinal >= 0 && i < report.devices.size(); ++i) {
        const Device& device = report.devices[i];
        if (device.ordinal != subject.ordinal) continue;
        const bool isOfProcess = device.process == subject.process || !subject.process.isValid();
        if (isOfProcess) return DeviceId(i);
        if (!out.isValid()) out = DeviceId(i);
    }
    return out;
}

bool isCoveredByMemory(const Report& report, const CounterTrack& counter)
{
    return isCounterRedundant(report.memory->recording(report.memory->devices.front()),
                              report.strings.at(counter.name));
}

std::shared_ptr<const ReportMemory> replayMemory(const Report& report, const Progress& progress)
{
    if (!report.memory) return nullptr;
    Result<AllocatorReplay> replay = replayAllocator(report, progress);
    if (!replay) return nullptr; // the only possible error is `canceled`
    ReportMemory out{std::move(*replay), stackCategories(*report.memory, report.strings), {}};
    const MemoryGroups byCategory = categoryGroups(out.categories);
    for (const DeviceReplay& device : out.replay.devices) {
        if (progress.isCanceled()) return nullptr;
        MemoryGroups stacks = largestStackGroups(device, report.memory->stackCount(), progress);
        MemoryLod byStack(device, stacks, progress);
        MemoryLod ofCategories(device, byCategory, progress);
        if (progress.isCanceled()) return nullptr;
        out.devices.push_back({std::move(stacks), std::move(ofCategories), std::move(byStack)});
    }
    return std::make_shared<const ReportMemory>(std::move(out));
}

} // namespace lockstep
