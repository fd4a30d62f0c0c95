#include "app/run_lines.h"

#include <cstdio>

#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace lockstep {

namespace {

using Json = nlohmann::ordered_json;

std::string lineOf(const Json& object)
{
    return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string stamp(int64_t epoch_ns, const std::string& host)
{
    return utcTimeText(epoch_ns).substr(0, 8) + " " + host + "  ";
}

// Each line of a program's output behind the host's name.
std::string outputLines(const std::string& front, std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (const size_t overwritten = line.find_last_of('\r', line.size() > 1 ? line.size() - 2 : 0);
            overwritten != std::string_view::npos)
            line.remove_prefix(overwritten + 1);
        out += (out.empty() ? "" : "\n") + front + std::string(line);
    }
    return out;
}

std::string captureLine(const RunEvent& event)
{
    if (!event.controller.empty()) return "controller runs as " + event.controller;
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
    }
    if (event.kind == EventKind::sample) {
        object["cpu_percent"] = event.use.cpu_percent;
        object["memory_used_bytes"] = event.use.memoryUsed_bytes;
        object["disk_free_bytes"] = event.use.diskFree_bytes;
        Json& gpus = object["gpus"] = Json::array();
        for (const GpuUse& gpu : event.use.gpus)
            gpus.push_back(
                {{"index", gpu.index}, {"busy_percent", gpu.busy_percent}, {"used_bytes", gpu.used_bytes}});
    }
    if (event.cut_bytes > 0) object["cut_bytes"] = event.cut_bytes;
    if (event.isRunEnd) object["run"] = true;
    return object;
}

} // namespace

std::string readableEvent(const std::string& host, const RunEvent& event)
{
    const std::string front = stamp(event.time_ns, host);
    switch (event.kind) {
    case EventKind::started:
        if (!event.command) return {};
        return front + (event.isWaiting ? "waits for other hosts: " : "started: ") + event.name;
    case EventKind::standardOutput:
    case EventKind::standardError: {
        std::string lines = outputLines(front, event.text);
        if (event.cut_bytes > 0) lines += " [" + byteText(event.cut_bytes) + " more in the host's log]";
        return lines;
    }
    case EventKind::step:
        return front + "step " + std::to_string(event.step.value_or(0));
    case EventKind::capture:
        return front + captureLine(event);
    case EventKind::report:
        return front + "report " + event.path + ", " + byteText(event.size_bytes) +
               (event.isComplete ? ", complete" : ": " + event.text);
    case EventKind::exit:
        if (event.isRunEnd) return {};
        return front + "ended: " + event.name + (event.code == 0 ? "" : ": " + event.text);
    case EventKind::error:
        return front + "problem: " + event.text;
    default:
        return {};
    }
}

void RunLines::say(const std::string& line)
{
    if (line.empty()) return;
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
}

void RunLines::run(const Run& run)
{
    if (m_asJson) {
        say(lineOf({{"kind", "run"},
                    {"id", run.record().id},
                    {"state", runStateName(run.state())},
                    {"record", runFolderOf(run.record()).string()}}));
    } else {
        say("run " + run.record().id + ": " + std::string(runStateName(run.state())));
    }
}

void RunLines::host(const HostStatus& status)
{
    const std::pair<HostState, std::string> now(status.state, status.reason);
    const auto told = m_told.find(status.host);
    if (told != m_told.end() && told->second == now) return;
    m_told[status.host] = now;
    if (m_asJson) {
        say(lineOf({{"kind", "host"},
                    {"host", status.host},
                    {"state", hostStateName(status.state)},
                    {"reason", status.reason}}));
    } else {
        say(status.host + ": " + std::string(hostStateName(status.state)) +
            (status.reason.empty() ? "" : ": " + status.reason));
    }
}

void RunLines::event(const std::string& host, const RunEvent& event)
{
    say(m_asJson ? lineOf(eventJson(host, event)) : readableEvent(host, event));
}

void RunLines::file(const LedgerEntry& entry)
{
    if (m_asJson) {
        say(lineOf({{"kind", "file"},
                    {"host", entry.host},
                    {"path", entry.path},
                    {"state", ledgerStateName(entry.state)},
                    {"reason", entry.reason},
                    {"local_path", entry.localPath},
                    {"size_bytes", entry.size_bytes},
                    {"sha256", entry.sha256},
                    {"rows", entry.rows}}));
    } else {
        say(std::string(ledgerStateName(entry.state)) + " " + entry.host + ":" + entry.path + ", " +
            byteText(entry.size_bytes) + (entry.reason.empty() ? "" : ": " + entry.reason));
    }
}

void RunLines::ledger(const Ledger& ledger)
{
    if (!m_asJson) return say(ledgerText(ledger));
    Json object{{"kind", "ledger"}, {"summary", ledger.summary()}};
    object["entries"] = Json::parse(jsonFromLedger(ledger), nullptr, false)["entries"];
    say(lineOf(object));
}

void RunLines::workspace(const std::filesystem::path& path, const WrittenWorkspace& written)
{
    if (m_asJson) {
        say(lineOf({{"kind", "workspace"},
                    {"path", path.string()},
                    {"reports", written.reports},
                    {"host_logs", written.hostLogs},
                    {"basis", written.basis}}));
    } else {
        say("workspace " + path.string() + ": " + std::to_string(written.reports) + " reports; " +
            written.basis);
    }
}

} // namespace lockstep
