// SPDX-License-Identifier: Apache-2.0
#include "app/run/record_command.h"

#include <cstdio>
#include <filesystem>

#include <QCoreApplication>
#include <QSocketNotifier>
#include <unistd.h>

#include "app/cli/console.h"
#include "app/cli/export_command.h"
#include "app/cli/interrupt.h"
#include "app/run/exit_watchdog.h"
#include "core/base/json_fields.h"
#include "core/base/text.h"
#include "core/remote/server_targets.h"
#include "core/session/session_yaml.h"

namespace lockstep {

namespace {

std::string serverName(const ServerStatus& server)
{
    return server.target.url + (server.target.host.empty() ? "" : " (" + server.target.host + ")");
}

class RecordCommand : public QObject {
    Q_OBJECT

  public:
    explicit RecordCommand(const CommandLine& line)
        : m_line(line), m_console(line.isQuiet, line.isVerbose), m_asJson(::isatty(STDOUT_FILENO) != 1)
    {
        auto* const wake = new QSocketNotifier(m_interrupt.wakeFile(), QSocketNotifier::Read, this);
        connect(wake, &QSocketNotifier::activated, this, [this, wake] {
            wake->setEnabled(false);
            interrupt();
        });
    }

    // Starts the command. Called from the event loop, which ends with the exit status.
    void begin()
    {
        auto made = targets();
        auto key = serverKeyFromEnvironment();
        if (!made || !key) {
            m_console.failure(made ? key.error().message : made.error().message);
            return QCoreApplication::exit(exitStatus::kNothing);
        }
        RecorderOptions options;
        options.recording = m_line.recorded.recording;
        options.timeout_s = m_line.recorded.timeout_s;
        options.key = *std::move(key);
        m_console.notice("recognizing servers: " + std::to_string(made->size()));
        m_recorder = new ServerRecorder(*std::move(made), std::move(options), this);
        connect(m_recorder, &ServerRecorder::changed, this, &RecordCommand::noteChange);
        connect(m_recorder, &ServerRecorder::listChanged, this, [this] {
            m_console.notice("a router was replaced by its workers; servers: " +
                             std::to_string(m_recorder->count()));
        });
        connect(m_recorder, &ServerRecorder::waits, this, [this](size_t server, const std::string& text) {
            m_console.notice(serverName(m_recorder->server(server)) + ": " + text);
        });
        connect(m_recorder, &ServerRecorder::finished, this, &RecordCommand::finish);
        m_recorder->begin();
    }

  private:
    Result<std::vector<ServerTarget>> targets()
    {
        const RecordOptions& recorded = m_line.recorded;
        std::string folder = recorded.folder;
        if (m_line.run.empty()) {
            if (!folder.empty()) folder = std::filesystem::absolute(folder).lexically_normal().string();
            return targetsFromUrls(recorded.urls, recorded.kind, folder);
        }
        const RunRecord record = LOCKSTEP_TRY(findRun(m_line.run));
        const SessionConfig config = LOCKSTEP_TRY(loadSession(runFolderOf(record) / "session.yaml"));
        RunOptions options;
        options.ssh = sshOptionsFromEnvironment();
        return targetsOfRun(record, config, options, recorded.kind, folder);
    }

    void noteChange(size_t index)
    {
        const ServerStatus& server = m_recorder->server(index);
        m_console.progress("servers done:", overCount(), m_recorder->count());
        if (server.state == ServerState::ready && server.facts) {
            m_console.detail(serverName(server) + ": " + std::string(serverKindLabel(server.facts->kind)) +
                             " " + server.facts->version);
        } else if (!isOver(server.state)) {
            m_console.detail(serverName(server) + ": " + std::string(serverStateName(server.state)));
        }
        if (!isOver(server.state)) return;
        m_console.clearProgress();
        if (m_asJson) {
            print(jsonOfServer(server));
        } else if (server.state == ServerState::recorded) {
            print(printable(serverName(server) + ": " + server.message));
        }
        if (server.state != ServerState::recorded)
            m_console.failure(serverName(server) + ": " + message(server));
    }

    // A message may already begin with the server's address.
    static std::string message(const ServerStatus& server)
    {
        const std::string prefix = server.target.url + ": ";
        return server.message.starts_with(prefix) ? server.message.substr(prefix.size()) : server.message;
    }

    size_t overCount() const
    {
        return m_recorder->countIn(ServerState::recorded) + m_recorder->countIn(ServerState::unchecked) +
               m_recorder->countIn(ServerState::failed);
    }

    void finish()
    {
        m_console.clearProgress();
        const size_t recorded = m_recorder->countIn(ServerState::recorded),
                     unchecked = m_recorder->countIn(ServerState::unchecked),
                     failed = m_recorder->countIn(ServerState::failed);
        const auto spread_s = m_recorder->spread_s();
        if (m_asJson) {
            Json object{
                {"kind", "recording"}, {"recorded", recorded}, {"unchecked", unchecked}, {"failed", failed}};
            object["start_spread_s"] = spread_s ? Json(*spread_s) : Json();
            print(jsonLine(object, true));
        } else {
            print("servers: " + std::to_string(recorded) + " recorded, " + std::to_string(unchecked) +
                  " not checked, " + std::to_string(failed) + " failed");
            if (spread_s)
                print("start requests sent within at most " +
                      durationText({static_cast<int64_t>(*spread_s * 1e9)}, 1) + " of each other");
        }
        if (m_hasPrintFailed) m_console.failure("standard output could not be written completely");
        if (m_isInterrupted) return QCoreApplication::exit(exitStatus::kInterrupted);
        const int status = exitStatusOf(*m_recorder);
        QCoreApplication::exit(m_hasPrintFailed && status == exitStatus::kComplete ? exitStatus::kPart
                                                                                   : status);
    }

    void interrupt()
    {
        m_isInterrupted = true;
        m_console.clearProgress();
        m_console.failure("interrupted; stopping the profilers (Ctrl-C again: quit without stopping them)");
        if (m_recorder == nullptr) return QCoreApplication::exit(exitStatus::kInterrupted);
        m_recorder->cancel();
    }

    void print(const std::string& text)
    {
        const bool isWritten = std::fputs((text + "\n").c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
        m_hasPrintFailed = m_hasPrintFailed || !isWritten;
    }

    const CommandLine& m_line;
    Console m_console;
    Interrupt m_interrupt;
    ServerRecorder* m_recorder = nullptr;
    const bool m_asJson;
    bool m_isInterrupted = false, m_hasPrintFailed = false;
};

} // namespace

std::string jsonOfServer(const ServerStatus& server)
{
    Json object{{"kind", "server"}, {"url", server.target.url}, {"host", server.target.host}};
    object["server"] =
        server.facts ? Json(server.facts->kind == ServerKind::vllm ? "vllm" : "sglang") : Json();
    object["version"] = server.facts ? server.facts->version : "";
    object["state"] = std::string(serverStateName(server.state));
    object["message"] = server.message;
    object["steps"] = server.steps ? Json(*server.steps) : Json();
    object["expected_traces"] = server.expected.count ? Json(*server.expected.count) : Json();
    object["traces"] = server.written.traces;
    object["other_files"] = server.written.others;
    object["folder"] = server.target.folder;
    object["size_bytes"] = server.written.size_bytes;
    object["elapsed_s"] = server.elapsed_s;
    return jsonLine(object, true);
}

int exitStatusOf(const ServerRecorder& recorder)
{
    if (recorder.count() == 0 || recorder.countIn(ServerState::failed) == recorder.count())
        return exitStatus::kNothing;
    return recorder.countIn(ServerState::recorded) == recorder.count() ? exitStatus::kComplete
                                                                       : exitStatus::kPart;
}

int recordServers(int argc, char** argv, const CommandLine& line)
{
    std::optional<ExitWatchdog> leave;
    QCoreApplication application(argc, argv);
    RecordCommand command(line);
    QMetaObject::invokeMethod(&command, &RecordCommand::begin, Qt::QueuedConnection);
    const int status = QCoreApplication::exec();
    leave.emplace(status);
    return status;
}

} // namespace lockstep

#include "app/run/record_command.moc"
