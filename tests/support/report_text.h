// SPDX-License-Identifier: Apache-2.0
// A report as text, for golden tests: every table in a fixed order, entities by name instead of id, nothing
// that depends on the machine, the folder or the time.
#pragma once

#include <string>

#include "core/trace/report.h"

namespace lockstep::test {

struct ReportTextOptions {
    bool slices = true;
    bool facts = true;
    bool notes = true;
};

// One line per thing, each beginning with its kind: "producer", "clock", "session", "identity", "fact",
// "process", "thread", "device", "track", "slice", "counter", "sample", "link", "copy", "color", "short",
// "count", "note".
std::string reportText(const Report& report, const ReportTextOptions& options = {});

} // namespace lockstep::test
