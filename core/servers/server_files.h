// SPDX-License-Identifier: Apache-2.0
// Trace files of vLLM and SGLang servers: names, the number of files that a recording must write, and the
// comparison of a folder before and after. Names:
//   vLLM, workers    HOST_PID.NS.pt.trace.json[.gz]                      oldest
//                    ID-rank-R.NS.pt.trace.json[.gz]                     then
//                    [PREFIX_]dpD_ppP_tpT_dcpC_epE_rankR.NS.pt.trace.json[.gz]  newest; dcp was added last
//   vLLM, frontend   HOST_PID.async_llm.NS.pt.trace.json[.gz]            CPU only
//   SGLang           [PREFIX-]ID-TP-t[-DP-d][-PP-p][-EP-e][-STAGE].trace.json.gz
//                    merged-ID.trace.json.gz, [PREFIX-]TIME-TP-t-memory[-STAGE].pickle
//   NAME.partN.trace.json.gz is a part of a recording by stage that SGLang merges and deletes: never counted
// Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/servers/server_identity.h"
#include "core/servers/server_requests.h"

namespace lockstep {

enum class ServerFile : uint8_t {
    trace,    // of one worker or scheduler
    frontend, // of the process that answers requests
    merged,   // all traces of a server in one file
    memory,   // memory snapshot
    part,     // will be merged into a trace and deleted
    other
};
ServerFile serverFileOf(ServerKind kind, std::string_view name);

struct FolderFile {
    int64_t size_bytes = 0;
    int64_t modified_s = 0; // Unix epoch, clock of the folder's host

    friend bool operator==(const FolderFile&, const FolderFile&) = default;
};
// Files in a folder, by name.
using FolderFiles = std::map<std::string, FolderFile>;
// Returns the shell text that lists a folder on a host for folderFilesFrom(). `folder`: as quoted for the
// shell. Exit status 2 means that there is no such folder. Portable: needs neither GNU find nor GNU stat.
std::string folderListText(const std::string& quotedFolder);
// Parses its output: lines of "SIZE MTIME NAME". Other lines are ignored.
FolderFiles folderFilesFrom(std::string_view text);

// What a recording must write.
struct ExpectedTraces {
    std::optional<int64_t> count; // nullopt: the server does not report its parallel sizes; at least one
    std::string reason;           // how the number was found, for example "tp_size x pp_size x dp_size"
};
ExpectedTraces expectedTraces(const ServerFacts& facts, const ServerRecording& recording);

// Files that a recording has written.
struct WrittenFiles {
    std::vector<std::string> traces, others; // names; others: frontend, merged, memory
    std::vector<std::string> parts;
    int64_t size_bytes = 0; // of traces and others
    FolderFiles files;      // the new and changed files

    // True if there are at least that many traces, and no parts are left.
    bool isComplete(int64_t expected) const;
};
// Returns the files of `after` that are not in `before`, or differ from it.
WrittenFiles writtenFiles(ServerKind kind, const FolderFiles& before, const FolderFiles& after);

} // namespace lockstep
