// SPDX-License-Identifier: Apache-2.0
// The words for the statuses of samples and the kinds of spans, as tables and queries show them. Pure
// functions.
#pragma once

#include <string_view>

#include "core/trace/sample_tables.h"

namespace lockstep {

// Returns "completed", "aborted" ...; "" for unknown.
std::string_view sampleStatusName(SampleStatus status);
// Returns the status that a source means by this word, or unknown. Words such as "Status.COMPLETED" are
// understood.
SampleStatus sampleStatusNamed(std::string_view word);
// Returns "queue", "weight_update" ...
std::string_view spanKindName(SpanKind kind);

} // namespace lockstep
