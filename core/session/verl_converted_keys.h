// SPDX-License-Identifier: Apache-2.0
// verl keys whose value has a different form from the session field: a pair of numbers instead of a range of
// steps, or one flag for each word instead of a list. Part of the tables in verl_keys.h.
#pragma once

#include "core/session/verl_keys.h"

namespace lockstep {

// trainer.profile_interval of the SFT trainer: the first and last step of its only capture, both inclusive;
// [-1, -1] = none. It corresponds to the session's steps. Steps with gaps are written as the range from the
// first to the last step.
VerlKey profileIntervalKey();

// trainer.npu_profile.options.* in 0.5.0: level, analysis, save_path, and one flag for each word in
// npu.contents. If the session does not set contents, verl's default applies: npu and cpu. These keys are
// written only for the tool npu, because 0.5.0 has no key for the tool.
std::vector<VerlKey> npuProfileKeys();

} // namespace lockstep
