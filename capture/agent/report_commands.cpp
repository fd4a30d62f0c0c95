// SPDX-License-Identifier: Apache-2.0
// The commands about reports on a host: list and reduce.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <set>

#include <unistd.h>

#include "capture/agent/agent_commands.h"
#include "capture/agent/event_log.h"
#include "capture/agent/heartbeat.h"
#include "capture/agent/node_plan.h"
#include "capture/agent/other_runs.h"
#include "capture/agent/report_scan.h"
#include "capture/agent/report_watch.h"
#include "capture/agent/run_folder.h"
#include "capture/agent/run_history.h"
#include "core/base/json_fields.h"
#include "core/base/sha256.h"
#include "core/readers/capture_spool/capture_spool_reader.h"
#include "core/readers/identity/identity_resolver.h"
#include "core/readers/nsys_report/nsys_report_reader.h"
#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"
#include "core/readers/registry.h"
#include "core/readers/workspace_file/workspace_file.h"

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

std::string nodeName()
{
    std::array<char, 256> name = {};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// Information about the run that listCommand() needs.
struct ListedRun {
    std::vector<std::string> roots;
    fs::path workingFolder;
    int64_t ended_ns = 0; // time of the run's last event
    std::vector<OtherRun> others;
    // Path and inode of each report that the run's events mention.
    std::set<std::pair<std::string, uint64_t>> named;
};

Result<ListedRun> listedRun(const RunFolder& folder)
{
    ListedRun run;
    run.roots = LOCKSTEP_TRY(reportRootsOfRun(folder));
    run.workingFolder = workingFolderOfRun(folder);
    int64_t began_ns = 0;
    EventReader events(folder.eventsFile());
    for (std::string_view line = events.next(); !line.empty(); line = events.next()) {
        if (began_ns == 0) began_ns = numberAt(jsonFrom(line), "t_ns").value_or(0);
        const bool isReport = line.find("\"kind\":\"report\"") != line.npos;
        if (!isReport && !isRunEnd(line)) continue;
        const Json event = jsonFrom(line);
        if (isRunEnd(line)) run.ended_ns = numberAt(event, "t_ns").value_or(0);
        const std::string hex = textAt(event, "path_hex");
        if (isReport)
            run.named.emplace(hex.empty() ? textAt(event, "path") : bytesOfHex(hex), countAt(event, "inode"));
    }
    if (run.ended_ns == 0) run.ended_ns = wallClock_ns();
    run.others = otherRuns(folder, began_ns);
    return run;
}

// Returns the other run that used the same folder when the file was written, or nullptr if there is none.
const OtherRun* otherWriter(const ListedRun& run, const FoundReport& report)
{
    const auto wroteReport = [&](const OtherRun& other) {
        return other.began_ns <= report.modified_ns && report.modified_ns <= other.ended_ns &&
               other.expectsReportAt(report.path, report.isInWorkingFolder);
    };
    const auto other = std::ranges::find_if(run.others, wroteReport);
    return other != run.others.end() ? &*other : nullptr;
}

// Returns true if the report belongs to the other host's run. A file with the same name on this host's local
// disk does not belong to it.
bool isOfOtherHost(const ListedRun& run, const FoundReport& report)
{
    return run.named.contains({report.path.string(), report.inode}) ||
           isOnSharedDisk(report.path.parent_path());
}

void print(const FoundReport& report, const OtherRun* other, const std::string& node, bool isQuick)
{
    Json out{{"size_bytes", report.size_bytes}, {"modified_ns", report.modified_ns}, {"kind", report.kind},
             {"complete", report.isComplete},   {"reason", report.reason},           {"node", node}};
    addPath(out, report.path);
    if (report.isFlushing) out["flushing"] = true;
    if (report.isInWorkingFolder) out["shared"] = true;
    if (other != nullptr) out["other_run"] = other->id;
    if (!isQuick) {
        const auto digest = sha256OfFile(report.path, Progress());
        out["sha256"] = digest ? Json(*digest) : Json(nullptr);
    }
    std::printf("%s\n", jsonLine(out).c_str());
    std::fflush(stdout);
}

} // namespace

// Prints one JSON object per line: path, [path_hex], size_bytes, modified_ns, kind, complete, reason, node,
// [flushing], [shared: below the working folder, but in no report folder], [other_run: ID of a run that wrote
// to the same folder at that time], [sha256]. With --run, files are omitted if such a run wrote them after
// the end of this run. --elsewhere: the run is on another host, and this host sees its folder; lists only
// files that are also on that host.
int listCommand(Arguments arguments)
{
    ListedRun run;
    std::vector<std::string>& roots = run.roots;
    bool isQuick = false, isElsewhere = false;
    for (size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--quick") {
            isQuick = true;
        } else if (arguments[i] == "--elsewhere") {
            isElsewhere = true;
        } else if (arguments[i] == "--run" && i + 1 < arguments.size()) {
            auto ofRun = listedRun(RunFolder(fs::absolute(arguments[++i])));
            if (!ofRun) return printError(ofRun.error().message, 1);
            ofRun->roots.insert(ofRun->roots.begin(), roots.begin(), roots.end());
            run = std::move(*ofRun);
        } else {
            roots.push_back(arguments[i]);
        }
    }
    if (roots.empty()) return printError("list needs a folder or --run DIR", 2);
    const Heartbeat heartbeat; // reading a large report takes minutes
    const std::string node = nodeName();
    for (const FoundReport& report : ReportScanner(roots, run.workingFolder).scanAtOnce()) {
        if (isElsewhere && !isOfOtherHost(run, report)) continue;
        const OtherRun* const other = otherWriter(run, report);
        if (other == nullptr || report.modified_ns <= run.ended_ns) print(report, other, node, isQuick);
    }
    return 0;
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kUnsupportedInput =
    ": reduce accepts nsys reports, their SQLite exports and capture files; "
    "traces and snapshots must be fetched whole "
    "(lockstep-agent has no trace parser)";

Result<std::shared_ptr<const Report>> readOne(const fs::path& path, const Progress& progress)
{
    const FileSniff file = LOCKSTEP_TRY(sniffFile(path));
    const std::array<Reader, 3> readers{nsysSqliteReader(), nsysReportReader(), captureSpoolReader()};
    for (const Reader& reader : readers) {
        if (reader.recognizes(file)) return withResolvedIdentity(LOCKSTEP_TRY(reader.read(file, progress)));
    }
    return makeError(ErrorKind::unsupported, path.string() + kUnsupportedInput);
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
// Writes what Lockstep would load from the files as one workspace of packed columns. Preserved: every slice,
// counter sample, link and collective, and all names, tracks, clocks, identities and notes. Lost: data that
// is read from the file when a row is selected (for example arguments of a slice), and tables that are
// counted but not drawn.
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
    const Heartbeat heartbeat;
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
