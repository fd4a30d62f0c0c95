// SPDX-License-Identifier: Apache-2.0
// SpoolCarry: the state that blocks of a capture need from earlier blocks when a part of the file is read
// separately: open ranges, names, allocated GPU memory. Its size is small for any file size. Each part
// updates the state. Value type.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/slice_table.h"

namespace lockstep {

struct SpoolCarry {
    static constexpr size_t kMaxGaps = 4096;

    // An open range. The open ranges of one thread and domain are ordered outermost first.
    struct Open {
        uint64_t thread = 0, domain = 0;
        std::optional<uint64_t> number; // ID of a start/end range; absent for a pushed range
        int64_t start_ns = 0;
        SourceRow source;
        std::string name;
        uint64_t color = 0;
        uint16_t row = 0; // row of the range in the track
        bool isCollective = false;
        // time from which records are missing, possibly including the end of the range
        std::optional<int64_t> cut_ns;
    };
    // The range of a thread and domain that was recorded last. Payloads in the next block belong to it.
    struct Last {
        uint64_t thread = 0, domain = 0;
        uint64_t number = 0; // ID of a start/end range, or 0
        SourceRow source;
        std::string name;
    };
    struct Schema {
        uint64_t domain = 0, number = 0;
        std::string json;
    };
    // Payload of an open range, or of a communicator's initialization.
    struct Payload {
        SourceRow source;
        std::string name, binary; // as stored by SpoolCollectives
    };
    struct GpuDevice {
        std::string name, uuid;
        uint64_t memory_bytes = 0;
        int multiprocessors = 0;
    };

    std::vector<std::string> metas; // the first and the last META record that were read
    std::vector<Open> open;
    std::vector<Last> last;                           // only ranges that are open
    std::map<uint64_t, std::string> domains, threads; // names of the domains and threads
    std::vector<Schema> schemas;
    std::vector<Payload> payloads;
    std::map<uint64_t, GpuDevice> devices;
    std::map<uint64_t, uint64_t> deviceOfContext;
    // allocated bytes, by device and kind of memory
    std::map<std::pair<uint64_t, uint64_t>, int64_t> allocated_bytes;
    uint64_t sequence = 0; // sequence number of the next block
    // number of missing blocks before `sequence`
    uint64_t missing = 0;
    std::vector<TimeRange> gaps;       // times of missing blocks, in chronological order, at most kMaxGaps
    std::optional<int64_t> gapFrom_ns; // start of a gap that extends to the next timestamp that is read
    std::optional<int64_t> step;       // greatest training step named so far
    int64_t last_ns = INT64_MIN;       // latest timestamp so far; INT64_MIN if there is none
    std::map<uint64_t, uint64_t> lost; // sums of the counts in LOST records, by LockstepSpoolLoss

    // Appends a gap. If there are too many gaps, the two closest ones are merged.
    void addGap(TimeRange gap)
    {
        if (gap.isEmpty()) return;
        gaps.push_back(gap);
        if (gaps.size() <= kMaxGaps) return;
        size_t nearest = 1;
        for (size_t i = 2; i < gaps.size(); ++i) {
            if (gaps[i].begin - gaps[i - 1].end < gaps[nearest].begin - gaps[nearest - 1].end) nearest = i;
        }
        gaps[nearest - 1].end = std::max(gaps[nearest - 1].end, gaps[nearest].end);
        gaps.erase(std::next(gaps.begin(), static_cast<std::ptrdiff_t>(nearest)));
    }
};

} // namespace lockstep
