// SPDX-License-Identifier: Apache-2.0
// Identity from the name of a trace file: the patterns used by verl (all versions), PyTorch's tensorboard
// handler, vLLM, SGLang and common practice. A pure function, any thread.
#pragma once

#include <filesystem>

#include "core/trace/identity.h"

namespace lockstep {

// Returns the identity in the file name, without the folder; empty if the name matches no pattern. Confidence
// is `guessed`, because a file can be renamed. Examples:
//   actor-rollout-ref_train_step5_rank8-of-16_pid81231_20260822143501123.json.gz   role, step, rank, size
//   prof_rank-3_4711_20260822143501123.json.gz, ns.rank-0.pt.trace.json.gz         rank
//   prof_start_2_end_4_rank_1.json                                                 rank
//   worker3_step_12.1694128201557.pt.trace.json.gz                                 rank, step
//   rollout-replica4-globalrank8_engine-TP-0.trace.json.gz                         role rollout, rank
Identity identityOfFileName(const std::filesystem::path& path);

} // namespace lockstep
