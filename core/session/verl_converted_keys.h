// SPDX-License-Identifier: Apache-2.0
// Keys of verl whose value is not that of the session's field: a pair of numbers for a run of steps, a flag
// for each word of a list. Part of the tables of verl_keys.h.
#pragma once

#include "core/session/verl_keys.h"

namespace lockstep {

// trainer.profile_interval of the SFT trainer: first and last step of its one capture, both recorded; [-1,
// -1] = none. The session's steps; where they have gaps, from the first to the last.
VerlKey profileIntervalKey();

// trainer.npu_profile.options.* of 0.5.0: level, analysis, save_path, and a flag for each word of
// npu.contents. Without a word in the session verl's own hold: npu and cpu. Written for the tool npu alone,
// which 0.5.0 has no key for.
std::vector<VerlKey> npuProfileKeys();

} // namespace lockstep
