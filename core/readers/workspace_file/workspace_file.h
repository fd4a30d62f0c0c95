// SPDX-License-Identifier: Apache-2.0
// .lockstep files: all that is loaded, in one file of blocks, so that it reopens without the original files.
// Reports are stored as columns: opening is unpacking or mapping them, and checking, not parsing; with them
// what was stated and planned of their identities. Whatever else a workspace holds (clock maps, set-up,
// bookmarks) is an opaque section under a name its owner chooses; the names "identities" and "process
// identities" are taken. FORMAT.md describes the file to the byte.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/readers/reader.h"
#include "core/readers/workspace_file/report_blocks.h"
#include "core/trace/workspace.h"

namespace lockstep {

// The number behind the file's magic. Raised with every change of report_layout.h or of a listed column's
// type; a column that is added needs none. Older numbers keep their opener.
inline constexpr uint32_t kWorkspaceFormat = 2;

// Writes a copy beside `path`, syncs it and renames it over `path`: at every moment `path` is the old file or
// the new one, whole. io when something could not be written (the old file is still there, the copy is
// removed), canceled. A process that is killed leaves its copy, ".NAME.xxxxxx", behind.
Status saveWorkspaceFile(const std::filesystem::path& path, const Workspace& workspace,
                         const std::map<std::string, std::string>& sections, const Progress& progress,
                         StoredColumns columns = StoredColumns::packed);

// Writes the same behind what lies in `file`, whose first kBlockAlignment bytes were left free and which may
// hold columns of the workspace already. io, canceled.
Status appendWorkspace(SpillFile& file, const Workspace& workspace, const Progress& progress);

// The file as it is stored; raw columns stay in it: it must not be changed in place while they are in use
// (saving replaces it, which is safe). No tool is named but by `finish`, which is called for each report
// before it is shared; see Reader::readAll. notFound, io; unsupported for files of a newer Lockstep and of
// other programs; corrupt for damaged ones: a workspace opens whole or not at all.
Result<FileContents> openWorkspaceFile(const std::filesystem::path& path, const Progress& progress,
                                       FinishReport finish = nullptr);
// The same from the bytes of a file, which must outlive the contents.
Result<FileContents> openWorkspaceBytes(std::string_view bytes, const Progress& progress);

// One section alone, without opening the reports: "" where the file has none of that name, or is no
// workspace. notFound, io, corrupt, unsupported as openWorkspaceFile().
Result<std::string> readWorkspaceSection(const std::filesystem::path& path, const std::string& name);

// For the registry.
Reader workspaceFileReader();

} // namespace lockstep
