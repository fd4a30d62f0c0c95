// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_lines.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <tuple>

#include "core/base/json_fields.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/remote/report_name.h"
#include "core/scheduler/job_answer.h"
#include "core/session/shell_quote.h"

namespace lockstep {

namespace {

// Returns a JSON line in ASCII. C1 control characters and bidirectional marks are escaped, because a terminal
// would interpret them.
std::string lineOf(const Json& object)
{
    return jsonLine(object, true);
}

std::string stamp(int64_t epoch_ns, const std::string& host)
{
    return utcTimeText(epoch_ns).substr(0, 8) + " " + host + "  ";
}

// Returns the lines of a program's output, each preceded by `front`. If a carriage return overwrote text,
// only the last text is shown, as on a terminal.
std::vector<std::string> outputLines(const std::string& front, std::string_view text)
{
    std::vector<std::string> out;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        line = line.substr(0, line.find_last_not_of('\r') + 1);
        line.remove_prefix(line.find_last_of('\r') + 1); // npos + 1 = 0
        out.push_back(front + printable(line, "\t"));
    }
    return out;
}

std::string captureLine(const RunEvent& event)
{
    if (!event.controller.empty()) return "controller process: " + event.controller;
    if (!event.worker.empty()) return "profiling enabled for worker " + event.worker;
    return "capture: " + event.word + (event.path.empty() ? "" : " " + event.path);
}

Json eventJson(const std::string& host, const RunEvent& event)
{
    Json object{
        {"host", host}, {"seq", event.seq}, {"t_ns", event.time_ns}, {"kind", eventKindName(event.kind)}};
    if (event.command) object["command"] = *event.command;
    const auto put = [&object](const char* key, const std::string& text) {
        if (!text.empty()) object[key] = text;
    };
    put("name", event.name);
    put(event.kind == EventKind::error ? "failure" : "state", event.word);
    put("text", event.text);
    put("line", event.line);
    put("path", event.path);
    put("type", event.type);
    put("controller", event.controller);
    put("worker", event.worker);
    if (event.step) object["step"] = *event.step;
    if (event.order) object["order"] = *event.order;
    if (event.code) object["code"] = *event.code;
    if (event.signal) object["signal"] = *event.signal;
    if (event.kind == EventKind::report) {
        object["size_bytes"] = event.size_bytes;
        object["complete"] = event.isComplete;
        if (event.isGone) object["gone"] = true;
        if (event.isFinal) object["final"] = true;
        if (event.exitStatus) object["exit_status"] = *event.exitStatus;
    }
    if (event.kind == EventKind::launch) {
        object["outcome"] = event.outcome;
        object["framework"] = event.framework;
        object["argv"] = event.argv;
        object["profiled_argv"] = event.profiledArgv;
    }
    if (event.kind == EventKind::sample) {
        object["cpu_percent"] = event.use.cpu_percent;
        object["memory_used_bytes"] = event.use.memoryUsed_bytes;
        object["disk_free_bytes"] = event.use.diskFree_bytes;
        Json& gpus = object["gpus"] = Json::array();
        for (const GpuUsage& gpu : event.use.gpus)
            gpus.push_back(
                {{"index", gpu.index}, {"busy_percent", gpu.busy_percent}, {"used_bytes", gpu.used_bytes}});
    }
    if (event.cut_bytes > 0) object["cut_bytes"] = event.cut_bytes;
    if (event.isRunEnd) object["run"] = true;
    if (event.job) object.update(jsonFromJobStatus(*event.job));
    return object;
}

} // namespace

std::vector<std::string> readableEvent(const std::string& host, const RunEvent& event)
{
    const std::string front = printable(stamp(event.time_ns, host));
    const auto one = [&front](const std::string& text) { return std::vector{front + printable(text)}; };
    switch (event.kind) {
    case EventKind::started:
        if (!event.command) return {};
        return one((event.isWaiting ? "waiting for other hosts: " : "started: ") + event.name);
    case EventKind::standardOutput:
    case EventKind::standardError: {
        std::vector<std::string> lines = outputLines(front, event.text);
        const std::string more = "[" + byteText(event.cut_bytes) + " more in the log file on the host]";
        if (event.cut_bytes > 0 && lines.empty()) return one(more);
        if (event.cut_bytes > 0) lines.back() += " " + more;
        return lines;
    }
    case EventKind::step:
        return one("step " + std::to_string(event.step.value_or(0)) +
                   (event.path.empty() ? "" : " in " + std::string(baseName(event.path))));
    case EventKind::capture:
        return one(captureLine(event));
    case EventKind::report:
        if (event.isGone) return one("report " + event.path + ": removed or renamed");
        return one("report " + event.path + ", " + byteText(event.size_bytes) +
                   (event.isComplete ? ", complete" : ": " + event.text));
    case EventKind::exit:
        if (event.isRunEnd) return {};
        return one("ended: " + event.name + (event.code == 0 ? "" : ": " + event.text));
    case EventKind::job:
        return one(jobSentence(*event.job));
    case EventKind::launch:
        if (event.outcome != "profiled") return {}; // an error follows
        return one("the script starts " + event.framework + ": " + bashLine(event.profiledArgv));
    case EventKind::error:
        return one("problem: " + event.text);
    default:
        return {};
    }
}

namespace {

// Shortfall holds the entries of one host that are incomplete for the same reason.
struct Shortfall {
    size_t count = 0;
    std::set<std::string> roles;
    std::vector<std::string> paths;
};

std::string listed(const std::set<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text;
}

// Returns "/out/a.json", or "3 reports in /out (a.json, b.json, c.json)".
std::string subjectOf(const Shortfall& cause)
{
    constexpr size_t kMaxNames = 3;
    const std::string count = std::to_string(cause.count) + (cause.count == 1 ? " report" : " reports");
    if (cause.paths.empty()) return count + (cause.roles.empty() ? "" : " (" + listed(cause.roles) + ")");
    if (cause.count == 1) return cause.paths.front();
    const std::string& first = cause.paths.front();
    std::string text = count + " in " + first.substr(0, first.rfind('/')) + " (";
    for (size_t i = 0; i < std::min(kMaxNames, cause.paths.size()); ++i)
        text += (i > 0 ? ", " : "") + std::string(fileNameOfPath(cause.paths[i]));
    if (cause.paths.size() > kMaxNames)
        text += " and " + std::to_string(cause.paths.size() - kMaxNames) + " more";
    return text + ")";
}

} // namespace

std::vector<std::string> shortfalls(const Ledger& ledger)
{
    using Key = std::tuple<std::string, LedgerState, std::string, bool>; // host, state, reason, has a path
    std::map<Key, Shortfall> causes;
    for (const LedgerEntry& entry : ledger.entries()) {
        const bool isWhole = entry.state == LedgerState::verified && entry.reason.empty();
        if (isWhole || entry.state == LedgerState::absent || entry.state == LedgerState::found) continue;
        Shortfall& cause = causes[{entry.host, entry.state, entry.reason, !entry.path.empty()}];
        ++cause.count;
        if (!entry.role.empty()) cause.roles.insert(entry.role);
        if (!entry.path.empty()) cause.paths.push_back(entry.path);
    }
    std::vector<std::string> lines;
    for (const auto& [key, cause] : causes) {
        const auto& [host, state, reason, hasPath] = key;
        lines.push_back((host.empty() ? "" : host + ": ") + subjectOf(cause) + ": " +
                        std::string(ledgerStateName(state)) + (reason.empty() ? "" : ": " + reason));
    }
    for (const std::string& line : ledger.unmatchedLines())
        lines.push_back(line);
    return lines;
}

std::string notCollectedText(const Ledger& ledger)
{
    Shortfall stray;
    for (const LedgerEntry& entry : ledger.entries()) {
        if (entry.state != LedgerState::found) continue;
        ++stray.count;
        stray.paths.push_back(entry.host + ":" + entry.path);
    }
    if (stray.count == 0) return {};
    return "found, not collected: " + subjectOf(stray) +
           ": the folder is shared, and the session does not expect such files. To collect everything, set "
           "save_path to a folder that only this run uses.";
}

// Prints a line. A failure is stored and reported once at the end, because watching must continue even if the
// pipe is closed.
void RunLines::print(std::string_view line)
{
    if (!m_problem.empty()) return;
    const bool isWritten = std::fwrite(line.data(), 1, line.size(), stdout) == line.size() &&
                           std::fputc('\n', stdout) != EOF && std::fflush(stdout) == 0;
    if (isWritten) return;
    m_problem = std::string("standard output: cannot write: ") + std::strerror(errno) +
                "; the rest of the run's log was not printed";
}

void RunLines::run(const Run& run)
{
    if (m_asJson) {
        print(lineOf({{"kind", "run"},
                      {"id", run.record().id},
                      {"state", runStateName(run.state())},
                      {"record", runFolderOf(run.record()).string()}}));
    } else {
        print(printable("run " + run.record().id + ": " + std::string(runStateName(run.state()))));
    }
}

void RunLines::host(const HostStatus& status)
{
    problems(status);
    const std::pair<HostState, std::string> now(status.state, status.reason);
    const auto printed = m_printed.find(status.host);
    if (printed != m_printed.end() && printed->second == now) return;
    m_printed[status.host] = now;
    if (m_asJson) {
        print(lineOf({{"kind", "host"},
                      {"host", status.host},
                      {"state", hostStateName(status.state)},
                      {"reason", status.reason}}));
    } else {
        print(printable(status.host + ": " + std::string(hostStateName(status.state)) +
                        (status.reason.empty() ? "" : ": " + status.reason)));
    }
}

// Prints new problems, except those from the host's log, which arrive as events.
void RunLines::problems(const HostStatus& status)
{
    for (size_t& printed = m_reportedProblems[status.host]; printed < status.problems.size(); ++printed) {
        const RunProblem& problem = status.problems[printed];
        if (problem.isOfLog) continue;
        print(m_asJson ? lineOf({{"kind", "problem"},
                                 {"host", status.host},
                                 {"word", problem.word},
                                 {"text", problem.text}})
                       : printable(status.host + ": note: " + problem.text));
    }
}

void RunLines::event(const std::string& host, const RunEvent& event)
{
    if (m_asJson) return print(lineOf(eventJson(host, event)));
    for (const std::string& line : readableEvent(host, event))
        print(line);
}

void RunLines::file(const LedgerEntry& entry)
{
    if (m_asJson) {
        print(lineOf({{"kind", "file"},
                      {"host", entry.host},
                      {"path", entry.path},
                      {"state", ledgerStateName(entry.state)},
                      {"reason", entry.reason},
                      {"local_path", entry.localPath},
                      {"size_bytes", entry.size_bytes},
                      {"sha256", entry.sha256},
                      {"rows", entry.rows}}));
    } else {
        print(printable(std::string(ledgerStateName(entry.state)) + " " + entry.host + ":" + entry.path +
                        ", " + byteText(entry.size_bytes) +
                        (entry.reason.empty() ? "" : ": " + entry.reason)));
    }
}

void RunLines::ledger(const Ledger& ledger)
{
    if (!m_asJson) return print(printable(ledgerText(ledger), "\n"));
    std::string line = lineOf({{"kind", "ledger"}, {"summary", ledger.summary()}});
    line.pop_back();
    print(line + ",\"entries\":" + ledgerEntriesLine(ledger) + "}");
}

void RunLines::workspace(const std::filesystem::path& path, const WrittenWorkspace& written)
{
    if (m_asJson) {
        print(lineOf({{"kind", "workspace"},
                      {"path", path.string()},
                      {"reports", written.reports},
                      {"host_logs", written.hostLogs},
                      {"basis", written.basis}}));
    } else {
        print(printable("workspace " + path.string() + ": " + std::to_string(written.reports) +
                        (written.reports == 1 ? " report; " : " reports; ") + written.basis));
    }
}

} // namespace lockstep
