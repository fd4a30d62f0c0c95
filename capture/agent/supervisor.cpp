#include "capture/agent/supervisor.h"

#include <csignal>
#include <thread>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "capture/agent/log_signs.h"

namespace lockstep::agent {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr auto kTick = 100ms;
constexpr auto kSampleEvery = 1s;
constexpr auto kScanEvery = 2s;
constexpr auto kBeatEvery = 5s;
constexpr auto kReportPatience = 30s; // how long reports may take to become whole after the last command
constexpr int64_t kSettled_ns = 1'500'000'000; // a file not touched for this long is no longer being written

json sampleFields(const HostSample& sample)
{
    json fields{{"cpu_percent", sample.cpu_percent},
                {"memory_used_bytes", sample.memoryUsed_bytes},
                {"memory_total_bytes", sample.memoryTotal_bytes},
                {"received_bytes_per_s", sample.received_bytesPerSecond},
                {"sent_bytes_per_s", sample.sent_bytesPerSecond},
                {"disk_free_bytes", sample.diskFree_bytes}};
    json gpus = json::array();
    for (const GpuSample& gpu : sample.gpus) {
        gpus.push_back({{"index", gpu.index}, {"busy_percent", gpu.busy_percent}, {"used_bytes", gpu.used_bytes},
                        {"total_bytes", gpu.total_bytes}});
    }
    fields["gpus"] = std::move(gpus);
    return fields;
}

} // namespace

Supervisor::Supervisor(RunFolder folder, NodePlan plan, EventLog log, Past past)
    : m_folder(std::move(folder)), m_plan(std::move(plan)), m_log(std::move(log)), m_past(std::move(past)),
      m_sampler(m_folder.path())
{
    m_past.exitTold.resize(m_plan.commands.size());
}

int Supervisor::run()
{
    if (m_past.hasEnded) return 0;
    if (m_past.hasStarted) m_log.add("started", {{"resumed", true}, {"pid", ::getpid()}});
    else m_log.add("started", {{"pid", ::getpid()}, {"commands", m_plan.commands.size()}});
    int code = m_past.hasStarted || writeFiles() ? 0 : 1;
    for (size_t index = 0; index < m_plan.commands.size() && code == 0; ++index) code = runCommand(index);
    waitForReports();
    m_log.add("exit", {{"run", true}, {"code", code}, {"stopped", m_stopAsked}});
    while (!m_log.flush()) std::this_thread::sleep_for(1s);
    return code;
}

bool Supervisor::writeFiles()
{
    for (const PlannedFile& file : m_plan.files) {
        const auto written = writeTextFile(file.path, file.content, file.mode);
        if (written) continue;
        m_log.add("error", {{"failure", "file"}, {"text", written.error().message}});
        return false;
    }
    return true;
}

int Supervisor::runCommand(size_t index)
{
    const auto folder = m_folder.commandFolder(index);
    const Command& command = m_plan.commands[index];
    std::error_code error;
    if (!std::filesystem::exists(folder, error)) {
        const auto started = startShepherd(command, folder);
        if (!started) {
            m_log.add("error", {{"command", index}, {"failure", "start"}, {"text", started.error().message}});
            return 1;
        }
        m_log.add("started", {{"command", index}, {"name", command.name}, {"argv", command.argv}});
    }
    m_tails = {LogTail(folder / "stdout.log", m_past.logOffsets[{index, false}]),
               LogTail(folder / "stderr.log", m_past.logOffsets[{index, true}])};
    auto ended = readExit(folder);
    while (!ended) {
        if (!RunFolder::readMark(folder / "shepherd.pid") && !(ended = readExit(folder))) {
            ended = CommandExit{-1, 0, "its shepherd process was killed; how it ended is not known", 0};
            break;
        }
        follow(index, false);
        beat();
        obeyStop(index);
        std::this_thread::sleep_for(kTick);
        ended = readExit(folder);
    }
    follow(index, true);
    if (!m_past.exitTold[index]) {
        m_log.add("exit", {{"command", index}, {"name", command.name}, {"code", ended->code}, {"signal", ended->signal},
                           {"reason", ended->reason}, {"dropped_bytes", ended->droppedBytes}});
    }
    return ended->code == 0 ? 0 : ended->signal != 0 ? 128 + ended->signal : ended->code > 0 ? ended->code : 1;
}

void Supervisor::follow(size_t index, bool isFinal)
{
    for (size_t stream = 0; stream < m_tails.size(); ++stream) {
        LogTail& tail = m_tails[stream];
        for (std::string piece = tail.next(isFinal); !piece.empty(); piece = tail.next(isFinal)) {
            m_log.add(stream == 0 ? "stdout" : "stderr", {{"command", index}, {"to", tail.offset()}, {"text", piece}});
            tellSigns(index, piece);
        }
    }
}

void Supervisor::tellSigns(size_t index, const std::string& piece)
{
    forEachLine(piece, [&](std::string_view line) {
        const auto sign = signOfLine(line);
        if (!sign) return;
        switch (sign->kind) {
        case SignKind::step: m_log.add("step", {{"command", index}, {"step", *sign->step}}); break;
        case SignKind::captureStarted: m_log.add("capture", {{"command", index}, {"state", "capturing"}}); break;
        case SignKind::captureEnded:
        case SignKind::flushing: m_log.add("capture", {{"command", index}, {"state", "flushing"}}); break;
        case SignKind::reportWritten:
            m_log.add("capture", {{"command", index}, {"state", "written"}, {"path", sign->value}});
            break;
        case SignKind::controller: m_log.add("capture", {{"command", index}, {"controller", sign->value}}); break;
        case SignKind::workerProfiled: m_log.add("capture", {{"command", index}, {"worker", sign->value}}); break;
        case SignKind::failure:
            if (std::exchange(m_failuresTold[sign->failure], true)) break;
            m_log.add("error", {{"command", index}, {"failure", sign->failure}, {"text", sign->text},
                                {"line", std::string(line.substr(0, 500))}});
            break;
        }
    });
}

void Supervisor::beat()
{
    const auto now = Clock::now();
    if (now >= m_nextSample) {
        m_nextSample = now + kSampleEvery;
        m_log.add("gpu", sampleFields(m_sampler.sample()));
    }
    if (now >= m_nextScan) {
        m_nextScan = now + kScanEvery;
        tellReports();
    }
    if (now >= m_nextBeat) {
        m_nextBeat = now + kBeatEvery;
        m_log.add("heartbeat", json::object());
    }
}

// A report is told when it appears and when it is whole: complete by content and left alone for a while.
void Supervisor::tellReports()
{
    for (FoundReport& report : scanReports(m_plan.reportRoots)) {
        const std::string path = report.path.string();
        if (report.isComplete && wallClock_ns() - report.modified_ns < kSettled_ns) {
            report.isComplete = false;
            report.reason = "just written";
        }
        const auto told = m_past.completeReports.find(path);
        if (told != m_past.completeReports.end() && told->second == report.size_bytes) continue;
        const bool isNew = !m_reports.contains(path);
        if (!isNew && m_reports[path].isComplete == report.isComplete && m_reports[path].reason == report.reason) continue;
        m_log.add("report", {{"path", path}, {"size_bytes", report.size_bytes}, {"type", report.kind},
                             {"complete", report.isComplete}, {"reason", report.reason}});
        if (report.isComplete) m_past.completeReports[path] = report.size_bytes;
        m_reports[path] = std::move(report);
    }
}

void Supervisor::waitForReports()
{
    const auto giveUp = Clock::now() + (m_plan.reportRoots.empty() ? 0s : kReportPatience);
    while (true) {
        tellReports();
        const bool allWhole = std::ranges::all_of(m_reports, [](const auto& entry) { return entry.second.isComplete; });
        if (allWhole || Clock::now() >= giveUp) return;
        std::this_thread::sleep_for(kTick * 3);
    }
}

// SIGTERM to everything the command started, time for the profiler to flush, then SIGKILL.
void Supervisor::obeyStop(size_t index)
{
    if (!m_stopAsked) {
        const auto request = readTextFile(m_folder.stopFile());
        if (!request) return;
        const json wish = json::parse(*request, nullptr, false);
        const double grace_s = wish.is_object() ? wish.value("grace_s", 30.0) : 30.0;
        m_stopAsked = true;
        m_killAt = Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(grace_s * 1000));
        m_log.add("capture", {{"command", index}, {"state", "stopping"}, {"grace_s", grace_s}});
        signalCommand(m_folder.commandFolder(index), SIGTERM);
    } else if (!m_killed && Clock::now() >= m_killAt) {
        m_killed = true;
        m_log.add("error", {{"command", index}, {"failure", "stop_ignored"},
                            {"text", "the program did not end in the time given; it was killed, reports may be missing"}});
        signalCommand(m_folder.commandFolder(index), SIGKILL);
    }
}

} // namespace lockstep::agent
