// SPDX-License-Identifier: Apache-2.0
// Recognizes files with samples, requests, weight updates and phases by their first bytes: those that the
// readers in core/readers/samples open. Pure; any thread.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace lockstep::agent {

// Keys of the first object that occur together in no other format, one set per format. The readers are not
// linked into the agent; a test compares this list with theirs.
std::span<const std::vector<std::string_view>> sampleKeys();
// Returns true if the text, which may be cut short, begins with an object of one of these formats.
bool isSampleRecords(std::string_view text);
// Returns true if the text, a whole line, is such an object or a trace event. A file of such lines can be
// read while it grows.
bool isRecordLine(std::string_view line);
// Returns true for files of torch.save with the samples of a rollout. head: as stored.
bool isRolloutDump(std::string_view head);

} // namespace lockstep::agent
