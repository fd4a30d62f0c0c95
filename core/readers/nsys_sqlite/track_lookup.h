// SPDX-License-Identifier: Apache-2.0
// TrackLookup converts the raw IDs of a row (globalPid, globalTid, device, context, stream) to the report's
// track. One per worker: it caches tracks, so that the builder's lock is taken once per track, not once per
// row.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/trace/report_builder.h"

namespace lockstep {

class TrackLookup {
  public:
    explicit TrackLookup(ReportBuilder& builder) : m_builder(builder) {}

    // Returns the process of a globalPid or globalTid. Returns process 0 for rows without a process.
    ProcessId process(uint64_t globalId);
    ThreadId thread(uint64_t globalTid);
    // Returns a GPU track. `context` is the CUDA context, or the green context if the row has one.
    TrackId gpu(TrackKind kind, uint64_t globalPid, int64_t device, int64_t context, int64_t stream)
    {
        return find({globalPid, device, context, stream, kind, true}, {});
    }
    // Returns a CPU track of one thread, or of the whole machine for kind `other` and globalTid 0; `lane`
    // distinguishes tracks of the same kind. `name` is set if it is not empty and the track is new to this
    // lookup.
    TrackId cpu(TrackKind kind, uint64_t globalTid, int64_t lane = 0, std::string_view name = {})
    {
        return find({globalTid, 0, 0, lane, kind, false}, name);
    }

  private:
    struct RawKey {
        uint64_t owner = 0;
        int64_t device = 0;
        int64_t context = 0;
        int64_t lane = 0;
        TrackKind kind = TrackKind::count;
        bool isGpu = false;

        friend bool operator==(const RawKey&, const RawKey&) = default;
    };
    struct Entry {
        RawKey key;
        TrackId track;
    };
    static constexpr size_t kEntries = 1024;

    TrackId find(const RawKey& key, std::string_view name)
    {
        uint64_t hash = key.owner ^ static_cast<uint64_t>(key.lane) * 0x9E3779B97F4A7C15ull ^
                        static_cast<uint64_t>(key.context) * 0xC2B2AE3D27D4EB4Full ^
                        static_cast<uint64_t>(key.device) * 0x165667B19E3779F9ull ^
                        static_cast<uint64_t>(key.kind) << 50;
        hash *= 0x9E3779B97F4A7C15ull;
        Entry& entry = m_entries[hash >> 54];
        if (entry.key == key) return entry.track;
        entry = {key, make(key, name)};
        return entry.track;
    }
    TrackId make(const RawKey& key, std::string_view name);

    ReportBuilder& m_builder;
    // direct-mapped; the only cost of a collision is taking the builder's lock
    std::array<Entry, kEntries> m_entries;
};

} // namespace lockstep
