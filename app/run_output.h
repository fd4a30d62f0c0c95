// SPDX-License-Identifier: Apache-2.0
// The places on this machine that a run writes to: its workspace and the folder of its reports. Pure but for
// checkRunOutput(); any thread.
#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace lockstep {

// The folder next to a workspace that the run's reports are collected into: its name without the ending. A
// workspace without an ending has ".reports" added.
std::filesystem::path collectionFolderFor(const std::filesystem::path& workspace);

// Tries to write next to the workspace, or in the nearest folder above that exists, and removes what it
// wrote. invalid, io: the workspace or the reports could not be written when the run is over; the message
// says why.
Status checkRunOutput(const std::filesystem::path& workspace);

} // namespace lockstep
