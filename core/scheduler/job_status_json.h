// SPDX-License-Identifier: Apache-2.0
// JobStatus as JSON: job.json in a run folder, and the fields of a "job" event (capture/agent/event_log.h).
#pragma once

#include "core/base/json_fields.h"
#include "core/scheduler/job_answer.h"

namespace lockstep {

// {"scheduler", "job", "phase", "state", "reason", "text", ["expected_start_s"], ["silent_since_s",
// "silence"], "nodes": [{"name", ["component"]}]}.
Json jsonFromJobStatus(const JobStatus& status);
// Fields that are absent or of another type keep their defaults; names that cannot be a node's are skipped.
JobStatus jobStatusFromJson(const Json& object);

} // namespace lockstep
