// SPDX-License-Identifier: Apache-2.0
// Provides storage for a report that turns out to be too large for the heap while it is read. Any thread.
#pragma once

#include <memory>

namespace lockstep {

class ResidentLimit;
class SpillFolder;

// Returns the folder whose SpillFolder::limit() is `limit`. Returns null for other limits, and after the
// folder was destroyed.
std::shared_ptr<SpillFolder> overflowFolderOf(const std::shared_ptr<ResidentLimit>& limit);

} // namespace lockstep
