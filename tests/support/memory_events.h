// SPDX-License-Identifier: Apache-2.0
// Allocations and frees of a synthetic run as text of a torch.profiler trace, with their plain sum: for tests
// of memory recorded by other means than the allocator.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/memory/allocator_replay.h"

namespace lockstep::test {

struct MemoryStep {
    int64_t time_us = 0;
    uint64_t address = 0;
    int64_t change_bytes = 0; // negative = freed
    int64_t total_bytes = 0;  // total after the event
    int64_t reserved_bytes = 0;
    int device = 0; // -1 = CPU
};

// Blocks of multiples of 512 bytes up to 1 MiB, which no allocator rounds.
inline std::vector<MemoryStep> madeMemorySteps(size_t count, uint32_t seed, int64_t before_bytes = 0)
{
    std::mt19937 random(seed);
    std::vector<MemoryStep> out;
    std::vector<std::pair<uint64_t, int64_t>> live;
    int64_t total = before_bytes;
    for (size_t i = 0; i < count; ++i) {
        MemoryStep step;
        step.time_us = static_cast<int64_t>(1000 + i);
        if (live.size() > 40 || (!live.empty() && random() % 3 == 0)) {
            const size_t at = random() % live.size();
            step.address = live[at].first;
            step.change_bytes = -live[at].second;
            live[at] = live.back();
            live.pop_back();
        } else {
            step.address = 0x7F00'0000'0000 + (i % 100'000) * 0x10'0000;
            step.change_bytes = static_cast<int64_t>(512 * (1 + random() % 2048));
            live.emplace_back(step.address, step.change_bytes);
        }
        step.total_bytes = total += step.change_bytes;
        step.reserved_bytes = (total / 0x20'0000 + 1) * 0x20'0000;
        out.push_back(step);
    }
    return out;
}

inline std::string memoryInstantText(const MemoryStep& step, bool statesTotals = true)
{
    const auto pair = [](const char* key, const std::string& value) {
        return std::string(",\"") + key + "\":" + value;
    };
    std::string args = "\"Addr\":" + std::to_string(step.address);
    args += pair("Bytes", std::to_string(step.change_bytes)) +
            pair("Device Id", std::to_string(step.device)) + pair("Device Type", step.device < 0 ? "0" : "1");
    if (statesTotals) {
        args += pair("Total Allocated", std::to_string(step.total_bytes)) +
                pair("Total Reserved", std::to_string(step.device < 0 ? 0 : step.reserved_bytes));
    }
    return "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":7,\"tid\":7,\"ts\":" +
           std::to_string(step.time_us) + ",\"args\":{" + args + "}}";
}

// An op of the same thread.
inline std::string memoryOpText(std::string_view name, int64_t begin_us, int64_t length_us)
{
    return "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" + std::string(name) +
           "\",\"pid\":7,\"tid\":7,\"ts\":" + std::to_string(begin_us) +
           ",\"dur\":" + std::to_string(length_us) + ",\"args\":{}}";
}

inline std::string memoryTrace(const std::vector<std::string>& events)
{
    std::string text = "{\"schemaVersion\":1,\"traceEvents\":[";
    for (size_t i = 0; i < events.size(); ++i)
        text += (i == 0 ? "\n" : ",\n") + events[i];
    return text + "\n]}";
}

inline std::string memoryTraceOf(const std::vector<MemoryStep>& steps, bool statesTotals = true)
{
    std::vector<std::string> events;
    for (const MemoryStep& step : steps)
        events.push_back(memoryInstantText(step, statesTotals));
    return memoryTrace(events);
}

// Returns the level at each timestamp, by address: slow and simple.
inline std::vector<int64_t> plainMemoryLevels(const std::vector<MemoryStep>& steps, int64_t before_bytes)
{
    std::map<uint64_t, int64_t> held;
    std::vector<int64_t> out;
    for (const MemoryStep& step : steps) {
        if (step.change_bytes > 0) {
            held[step.address] = step.change_bytes;
        } else {
            held.erase(step.address);
        }
        int64_t sum = before_bytes;
        for (const auto& [address, size] : held)
            sum += size;
        out.push_back(sum);
    }
    return out;
}

inline AllocatorReplay replayOfMemory(const std::shared_ptr<const Report>& report)
{
    return replayAllocator(*report, Progress()).value();
}

inline std::vector<int64_t> memoryAtStamps(const AllocatorReplay& replay,
                                           const std::vector<MemoryStep>& steps, size_t device = 0)
{
    std::vector<int64_t> out;
    for (const MemoryStep& step : steps) {
        const DeviceReplay& of = replay.devices[device];
        out.push_back(of.levelsAt(of.momentAt(*replay.snapshot, step.time_us * 1000)).active);
    }
    return out;
}

inline bool hasMemoryNote(const ImportNotes& notes, std::string_view kind)
{
    return std::ranges::find(notes.all(), kind, &ImportNote::kind) != notes.all().end();
}

} // namespace lockstep::test
