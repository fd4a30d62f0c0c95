// SPDX-License-Identifier: Apache-2.0
// Recordings that are divided into several files of a folder, because their writer starts a new file every
// hour or after some number of lines. The parts are read as one report: spans in one part have their parents
// in another, and samples begin in one part and end in the next. The path of the first part stands for the
// whole recording. Any thread; functions that take paths read the folder and the start of some files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/readers/reader.h"

namespace lockstep {

struct PartName {
    std::string recording; // equal for all parts in a folder: the name without what differs
    std::string place;     // sorts the parts in the order in which they were written
    bool isDivided = true; // false if a file that is not divided has such a name too
};

// Returns the meaning of a file's name, which may end in .gz or .zst; nullopt if no part has such a name.
std::optional<PartName> partName(std::string_view fileName, PartNaming naming);

// Returns the files of the recording to which `file` belongs, in the order in which they were written. This
// is only `file` itself if the recording is not divided.
std::vector<std::filesystem::path> filesOfRecording(const FileSniff& file);
// Like above, for a file that has not been read yet. A file that cannot be read is its only part.
std::vector<std::filesystem::path> filesOfRecording(const std::filesystem::path& path);
// Returns the path that stands for the recording of a file; the path itself for a file that is not a part.
std::filesystem::path recordingOf(const std::filesystem::path& path);

} // namespace lockstep
