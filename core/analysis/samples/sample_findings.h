// SPDX-License-Identifier: Apache-2.0
// Findings about samples: rollout GPUs that wait for the slowest samples, a trainer that waits for samples or
// for weight updates, and inference servers that are full. Pure functions of rows. Thread: any.
#pragma once

#include <span>
#include <vector>

#include "core/analysis/samples/async_balance.h"
#include "core/analysis/samples/rollout_tail.h"
#include "core/analysis/samples/serving.h"
#include "core/analysis/training/findings.h"

namespace lockstep {

// Each function returns at most one finding per rule, for its worst row; the others are its bars. The
// findings have no times of loss.
std::vector<RunFinding> tailFindings(std::span<const TailRow> rows);
std::vector<RunFinding> balanceFindings(std::span<const BalanceRow> rows);
std::vector<RunFinding> servingFindings(std::span<const ServingRow> rows);

} // namespace lockstep
