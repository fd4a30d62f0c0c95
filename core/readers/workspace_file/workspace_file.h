// SPDX-License-Identifier: Apache-2.0
// .lockstep files: all that is loaded, in one SQLite database, so that it reopens without the original files.
// Reports are stored as packed columns: opening is unpacking and checking, not parsing; with them what was
// stated and planned of their identities. Whatever else a workspace holds (clock maps, set-up, bookmarks) is
// an opaque section under a name its owner chooses; the names "identities" and "process identities" are
// taken.
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

// PRAGMA application_id: "LkSt". At byte 68 of the file, big-endian: how a workspace is told from other
// databases.
inline constexpr int64_t kWorkspaceMagic = 0x4C6B5374;
// PRAGMA user_version. Raised with every change of report_layout.h after a release; older numbers keep their
// opener.
inline constexpr int kWorkspaceFormat = 1;

// Writes a copy beside `path`, syncs it and renames it over `path`: at every moment `path` is the old file or
// the new one, whole. io when something could not be written (the old file is still there, the copy is
// removed), canceled. A process that is killed leaves its copy, ".NAME.xxxxxx", behind.
Status saveWorkspaceFile(const std::filesystem::path& path, const Workspace& workspace,
                         const std::map<std::string, std::string>& sections, const Progress& progress);

// The file as it is stored: no tool is named but by `finish`, which is called for each report before it is
// shared; see Reader::readAll. notFound, io; unsupported for files of a
// newer Lockstep and of other programs; corrupt for damaged ones: a workspace opens whole or not at all.
Result<FileContents> openWorkspaceFile(const std::filesystem::path& path, const Progress& progress,
                                       FinishReport finish = nullptr);
// The same from the bytes of a file.
Result<FileContents> openWorkspaceBytes(std::string_view bytes, const Progress& progress);

// For the registry.
Reader workspaceFileReader();

} // namespace lockstep
