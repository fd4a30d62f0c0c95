// SPDX-License-Identifier: Apache-2.0
// verl's `file` logger: one line per step with all metrics of the step, and no time. Source: verl/utils/
// tracking.py, FileLogger.
#include "core/readers/samples/sample_formats.h"
#include "core/readers/samples/step_records.h"

namespace lockstep {

SampleFormat verlMetricsFormat()
{
    return {"verl metrics",
            "verl",
            {"none: values per step", {}, 0, {}, ""},
            {"step", "data"},
            [](SampleRows& rows) -> std::unique_ptr<SampleRecords> {
                return std::make_unique<StepRecords>(rows, "data");
            }};
}

} // namespace lockstep
