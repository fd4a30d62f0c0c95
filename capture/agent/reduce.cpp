// SPDX-License-Identifier: Apache-2.0
// reduce FILE... -o OUT: writes what Lockstep would load from the files as one workspace of packed columns.
// Preserved: every slice, counter sample, link and collective, and all names, tracks, clocks, identities and
// notes. Lost: data that is read from the file when a row is selected (for example arguments of a slice), and
// tables that are counted but not drawn.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

#include "capture/agent/agent_commands.h"
#include "capture/agent/event_log.h"
#include "capture/agent/heartbeat.h"
#include "capture/agent/report_watch.h"
#include "core/base/json_fields.h"
#include "core/base/sha256.h"
#include "core/readers/capture_spool/capture_spool_reader.h"
#include "core/readers/identity/identity_resolver.h"
#include "core/readers/nsys_report/nsys_report_reader.h"
#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"
#include "core/readers/workspace_file/workspace_file.h"

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr const char* kOthers = ": reduce accepts nsys reports, their SQLite exports and capture files; "
                                "traces and snapshots must be fetched whole "
                                "(lockstep-agent has no trace parser)";

Result<std::shared_ptr<const Report>> readOne(const fs::path& path, const Progress& progress)
{
    const FileSniff file = LOCKSTEP_TRY(sniffFile(path));
    const std::array<Reader, 3> readers{nsysSqliteReader(), nsysReportReader(), captureSpoolReader()};
    for (const Reader& reader : readers) {
        if (reader.recognizes(file)) return withResolvedIdentity(LOCKSTEP_TRY(reader.read(file, progress)));
    }
    return makeError(ErrorKind::unsupported, path.string() + kOthers);
}

// Only a workspace that is not one of the inputs may be replaced.
Status checkOutput(const fs::path& output, const std::vector<fs::path>& inputs)
{
    std::error_code error;
    if (!fs::is_regular_file(output, error) || fs::file_size(output, error) == 0) return {};
    const auto isOutput = [&](const fs::path& input) {
        return fs::equivalent(output, input, error) && !error;
    };
    const auto file = sniffFile(output);
    if (std::ranges::any_of(inputs, isOutput))
        return makeError(ErrorKind::invalid, output.string() + " is an input; choose a different output");
    if (file && workspaceFileReader().recognizes(*file)) return {};
    return makeError(ErrorKind::invalid,
                     output.string() + " exists and is not a workspace; choose a different output");
}

Json describe(const fs::path& path, const Report& report)
{
    Json source{{"size_bytes", report.provenance.size_bytes},
                {"kind", report.provenance.kind},
                {"slices", report.slices.size()}};
    addPath(source, path);
    const auto digest = sha256OfFile(path, Progress());
    source["sha256"] = digest ? Json(*digest) : Json(nullptr);
    return source;
}

} // namespace

// Prints {"output", "size_bytes", "raw_bytes", "sources": [{path, [path_hex], size_bytes, kind, slices,
// sha256}], "failed": [{path, [path_hex], reason}]}. The section "reduced" of the workspace lists the
// sources. Returns exit status 2 if the output is an input or a file that is not a workspace. Fails without
// writing anything if no file could be read.
int reduceCommand(Arguments arguments)
{
    std::vector<fs::path> inputs;
    fs::path output;
    for (size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "-o" && i + 1 < arguments.size())
            output = arguments[++i];
        else
            inputs.push_back(fs::absolute(arguments[i]).lexically_normal());
    }
    if (inputs.empty() || output.empty()) {
        std::fprintf(stderr, "lockstep-agent: reduce needs FILE... and -o OUT\n");
        return 2;
    }
    if (const Status allowed = checkOutput(output, inputs); !allowed) {
        std::fprintf(stderr, "lockstep-agent: %s\n", allowed.error().message.c_str());
        return 2;
    }
    const Heartbeat signs;
    const Progress progress(Workers::ofMachine());
    Workspace workspace;
    Json sources = Json::array(), failed = Json::array();
    uint64_t raw_bytes = 0;
    for (const fs::path& input : inputs) {
        const auto report = readOne(input, progress);
        if (!report) {
            std::fprintf(stderr, "lockstep-agent: %s\n", report.error().message.c_str());
            addPath(failed.emplace_back(Json{{"reason", report.error().message}}), input);
            continue;
        }
        sources.push_back(describe(input, **report));
        raw_bytes += (*report)->provenance.size_bytes;
        workspace.add(*report);
    }
    if (workspace.isEmpty()) return 1;
    const auto saved = saveWorkspaceFile(output, workspace, {{"reduced", jsonLine(sources)}}, progress);
    if (!saved) {
        std::fprintf(stderr, "lockstep-agent: %s\n", saved.error().message.c_str());
        return 1;
    }
    std::error_code error;
    const Json done{{"output", output.string()},
                    {"size_bytes", fs::file_size(output, error)},
                    {"raw_bytes", raw_bytes},
                    {"sources", sources},
                    {"failed", failed}};
    std::printf("%s\n", jsonLine(done).c_str());
    return failed.empty() ? 0 : 3;
}

} // namespace lockstep::agent
