// SPDX-License-Identifier: Apache-2.0
// A small table in the form of an analysis result, for tests of models and views.
#pragma once

#include <memory>

#include "core/analysis/table.h"

namespace lockstep::test {

// Time (%), Total Time (ns), Instances, Name; three rows, the last one without a total.
std::shared_ptr<const Table> madeTable();

} // namespace lockstep::test
