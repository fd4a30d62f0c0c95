// SPDX-License-Identifier: Apache-2.0
// LiveFile shows a file that grows during a run as a report that is recreated when the file has new data. One
// thread at a time.
#pragma once

#include <memory>

#include "core/base/progress.h"
#include "core/trace/report.h"

namespace lockstep {

class LiveFile {
  public:
    virtual ~LiveFile() = default;

    // Returns the report of the file so far. Returns null if there is nothing new or no file yet. Errors:
    // those of readReport().
    virtual Result<std::shared_ptr<const Report>> read(const Progress& progress) = 0;
};

} // namespace lockstep
