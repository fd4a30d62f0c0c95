// SPDX-License-Identifier: Apache-2.0
// Returns the first difference between two reports, every field by name. Empty = equal.
#pragma once

#include <string>

#include "core/trace/report.h"

namespace lockstep::test {

std::string firstDifference(const Report& a, const Report& b);

} // namespace lockstep::test
