// SPDX-License-Identifier: Apache-2.0
// ReportFacts: what a report says of the process that it is of, and of itself at its end: the JSON of its
// META and SUMMARY blocks. The writer thread's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "capture/inject/capture_gate.h"

namespace lockstep::capture {

class Recorder;
struct CaptureSettings;

// Lost records of one reason, and over which time.
struct LossCount {
    uint64_t count = 0;
    int64_t first_ns = 0, last_ns = 0; // 0 and 0: not known

    void add(uint64_t more, int64_t from_ns, int64_t to_ns)
    {
        count += more;
        if (from_ns == 0) return;
        first_ns = first_ns == 0 ? from_ns : std::min(first_ns, from_ns);
        last_ns = std::max({last_ns, from_ns, to_ns});
    }
};

// What was kept and lost in one report.
struct ReportCounts {
    uint64_t records = 0;
    uint64_t blocks = 0;
    uint64_t bytes = 0;
    int64_t writerWork_ns = 0;
    std::map<int, LossCount> lost; // by LockstepSpoolLoss
};

struct ReportFacts {
    ReportLabel label;
    uint32_t index = 0;
    ReportCounts counts;

    // The roles that the program has said, in that order; few.
    static std::vector<std::string> saidRoles();
    // The role that the program has said of itself (annotate()), else the settings' one: a session cannot
    // tell processes of several roles theirs by one word. A process that says several is none of them alone:
    // it is what the settings call it, else the first.
    static std::string processRole(const CaptureSettings& settings);
    // "actor_rank3_node7_1234": the name up to the report's number.
    static std::string stem(const Recorder& recorder, const ReportLabel& label);
    std::string metaJson(const Recorder& recorder) const;
    std::string summaryJson(const Recorder& recorder, const char* why) const;
};

} // namespace lockstep::capture
