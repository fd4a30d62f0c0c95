// SPDX-License-Identifier: Apache-2.0
// ReportFacts describes the process of a report and, at the end, the report itself. It produces the JSON of
// the report's META and SUMMARY blocks. Used on the writer thread.
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

// Number and time range of records that were lost for one reason.
struct LossCount {
    uint64_t count = 0;
    int64_t first_ns = 0, last_ns = 0; // both 0 = unknown

    void add(uint64_t more, int64_t from_ns, int64_t to_ns)
    {
        count += more;
        if (from_ns == 0) return;
        first_ns = first_ns == 0 ? from_ns : std::min(first_ns, from_ns);
        last_ns = std::max({last_ns, from_ns, to_ns});
    }
};

// Amounts of written and lost data of one report.
struct ReportCounts {
    uint64_t records = 0;
    uint64_t blocks = 0;
    uint64_t bytes = 0;
    int64_t writerWork_ns = 0;
    std::map<int, LossCount> lost; // keyed by LockstepSpoolLoss
};

struct ReportFacts {
    ReportLabel label;
    uint32_t index = 0;
    ReportCounts counts;

    // Returns the roles that the program has reported, in the order in which they were reported. There are
    // few of them.
    static std::vector<std::string> declaredRoles();
    // Returns the role of the process. This is the role that the program declared through annotate(),
    // otherwise the role from the settings, because one setting cannot assign different roles to several
    // processes. If the process declared several roles, the role from the settings takes precedence,
    // otherwise the first declared one.
    static std::string processRole(const CaptureSettings& settings);
    // Returns the file name up to the report number: "actor_rank3_node7_1234".
    static std::string stem(const Recorder& recorder, const ReportLabel& label);
    std::string metaJson(const Recorder& recorder) const;
    std::string summaryJson(const Recorder& recorder, const char* why) const;
};

} // namespace lockstep::capture
