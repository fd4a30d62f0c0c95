// SPDX-License-Identifier: Apache-2.0
// JobStatus as JSON: job.json in a run folder, and the fields of a "job" event (capture/agent/event_log.h).
#pragma once

#include "core/base/json_fields.h"
#include "core/scheduler/job_answer.h"

namespace lockstep {

// Returns {"scheduler", "job", "phase", "state", "reason", "text", ["expected_start_s"], ["silent_since_s",
// "silence"], "nodes": [{"name", ["component"]}]}.
Json jsonFromJobStatus(const JobStatus& status);
// Parses a job status. Fields that are absent or have a different type keep their defaults; invalid node
// names are skipped.
JobStatus jobStatusFromJson(const Json& object);

} // namespace lockstep
