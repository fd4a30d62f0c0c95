// SPDX-License-Identifier: Apache-2.0
// Where a report goes that turns out to be too large for the heap while it is read. Any thread.
#pragma once

#include <memory>

namespace lockstep {

class ResidentLimit;
class SpillFolder;

// The folder whose SpillFolder::limit() that is; null for other limits, and once the folder is gone.
std::shared_ptr<SpillFolder> overflowFolderOf(const std::shared_ptr<ResidentLimit>& limit);

} // namespace lockstep
