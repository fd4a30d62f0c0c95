// SPDX-License-Identifier: Apache-2.0
// .lockstep files: everything that is loaded, in one file of blocks that can be reopened without the original
// files. Reports are stored as columns with their edited and planned identities: opening decompresses or maps
// and checks them, without parsing. Everything else in a workspace (clock maps, session, bookmarks) is an
// opaque section with a name chosen by its owner; the names "identities" and "process identities" are
// reserved. FORMAT.md specifies every byte of the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/readers/reader.h"
#include "core/trace/workspace.h"

namespace lockstep {

// The format version, which follows the file's magic. It is increased with every change of report_layout.h or
// of a listed column's type, but not for a new column.
inline constexpr uint32_t kWorkspaceFormat = 2;

// How the rows of columns are stored in the file.
enum class StoredColumns : uint8_t {
    packed, // in compressed chunks: small, but they must be decompressed when the file is opened
    raw     // as in memory: large, but opening only maps them, and data that is not used is not read
};

// Writes a copy next to `path`, syncs it and renames it to `path`. At any time, `path` is either the complete
// old file or the complete new file. Errors: io if something could not be written (the old file remains, and
// the copy is removed), canceled. If the process is killed, the copy ".NAME.xxxxxx" remains.
Status saveWorkspaceFile(const std::filesystem::path& path, const Workspace& workspace,
                         const std::map<std::string, std::string>& sections, const Progress& progress,
                         StoredColumns columns = StoredColumns::packed);

// Appends the workspace to `file`, whose first kBlockAlignment bytes are reserved. The file may already
// contain columns of the workspace. Errors: io, canceled.
Status appendWorkspace(SpillFile& file, const Workspace& workspace, const Progress& progress);

// Opens a file. Raw columns stay in the file, so the file must not be modified in place while they are in
// use. Saving is safe, because it replaces the file. Only `finish` sets the tool; `finish` is called for each
// report before it is shared, see Reader::readAll. Errors: notFound, io; unsupported for files from a newer
// Lockstep or from other programs; corrupt for corrupt files, because a workspace opens completely or not at
// all.
Result<FileContents> openWorkspaceFile(const std::filesystem::path& path, const Progress& progress,
                                       FinishReport finish = nullptr);
// Opens a file in memory. `bytes` must outlive the contents.
Result<FileContents> openWorkspaceBytes(std::string_view bytes, const Progress& progress);

// Returns one section without opening the reports. Returns "" if the file has no section with that name, or
// is not a workspace. The errors notFound, io, corrupt and unsupported are the same as for
// openWorkspaceFile().
Result<std::string> readWorkspaceSection(const std::filesystem::path& path, const std::string& name);

} // namespace lockstep
