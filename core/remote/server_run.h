// SPDX-License-Identifier: Apache-2.0
// ServerRun records one inference server: it recognizes the server, starts its profiler, waits for the steps
// or the time, stops it, and looks for the files in the server's folder. ServerRecorder runs several of them
// together. It never reports a recording without files as recorded. One thread with an event loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QTimer>

#include "core/remote/http_call.h"
#include "core/servers/server_files.h"

namespace lockstep {

struct ServerTarget {
    std::string url; // checked
    std::optional<ServerKind> kind;
    std::string folder;                   // on the host that sends the requests; empty: not known
    std::shared_ptr<const Remote> remote; // sends the requests and lists the folder
    std::string host;                     // its name in the session; empty = this machine
};

enum class ServerState : uint8_t {
    waiting,
    identifying,
    ready,     // recognized, and the start request is prepared
    starting,  // the start request was sent
    recording, // the server accepted it
    stopping,  // the stop request was sent; the server may write its traces before it answers
    writing,   // waiting for files
    recorded,  // the expected files exist and do not change any more
    unchecked, // accepted by the server, but its files could not be checked
    failed
};
std::string_view serverStateName(ServerState state);
bool isOver(ServerState state); // recorded, unchecked or failed

struct RecorderOptions {
    ServerRecording recording;
    std::string key;           // see kServerKeyVariable
    int timeout_s = 600;       // for each of: an answer to start or stop, the steps, the files
    double pollSteps_s = 0.25; // interval at which the steps are read; longer with many servers
    double pollFiles_s = 1;
    double pollAlive_s = 5;
    int cancelTimeout_s = 30; // for the stop request after an interruption
};

struct ServerStatus {
    ServerTarget target;
    ServerState state = ServerState::waiting;
    std::optional<ServerFacts> facts;
    std::string message;          // what was done, or why it failed; one line
    std::optional<int64_t> steps; // vLLM: steps counted since the start
    // When the start request was sent: not before and not after these times, steady clock.
    std::optional<std::pair<int64_t, int64_t>> sent_ns;
    bool mayHaveWritten = false; // the server accepted the start and did not end during the recording
    ExpectedTraces expected;
    WrittenFiles written;
    double elapsed_s = 0; // from the start request to the end
};

// The servers of one kind that write to the same folder of a host. Names of files do not tell which of them
// wrote a file, so such servers are only checked together.
struct FolderShare {
    int64_t servers = 1;           // those that may have written
    std::optional<int64_t> traces; // number that they must write; nullopt: not known
    bool isBusy = false;           // another one has not written its files yet
    int64_t needed() const { return traces.value_or(servers); }
};

class ServerRun : public QObject {
    Q_OBJECT

  public:
    ServerRun(ServerTarget target, const RecorderOptions& options, QObject* parent);

    const ServerStatus& status() const { return m_status; }
    // Set if the target is a router: its workers.
    const std::vector<std::string>& workers() const { return m_identity.workers(); }
    bool isRouter() const { return m_identity.isRouter(); }
    bool isReady() const { return m_status.state == ServerState::ready; }

    // Sets the function that returns the share of this server's folder. Default: the server alone.
    void setShare(std::function<FolderShare()> share) { m_share = std::move(share); }
    // Recognizes the server. identified() follows.
    void identify();
    // Lists the folder and connects for the start request. prepared() follows; the state is then ready or
    // failed.
    void prepare();
    // Sends the start request. The rest follows without further calls.
    void start();
    // Stops a recording in progress, without waiting for files. over() follows.
    void cancel();
    void fail(const std::string& message);

  signals:
    void identified();
    void prepared();
    void changed();
    // The request has taken long. text: a sentence without the server's name.
    void waits(const std::string& text);
    void over();

  private:
    using OnAnswer = std::function<void(const HttpResult&)>;
    using OnFiles = std::function<void(const std::optional<FolderFiles>&)>;

    HttpCall* send(const HttpRequest& request, int limit_s, bool isHeld, OnAnswer then);
    void list(OnFiles then);
    void setState(ServerState state);
    void identifyNext();
    void readSteps(const std::function<void(const StepCounts&, const HttpResult&)>& then);
    void openStart();
    void handleStart(const HttpResult& result);
    void beginRecording();
    void pollSteps();
    void pollFiles();
    FolderShare share() const;
    void handleFiles(const std::optional<FolderFiles>& files);
    void checkAlive();
    bool endIfRefused(const HttpResult& result);
    void stop();
    void handleStop(const HttpResult& result);
    void beginWriting();
    void endWithFiles(bool isInTime);
    void end(ServerState state, const std::string& message);
    std::string doneText() const; // what was recorded: steps or time

    RecorderOptions m_options;
    std::function<FolderShare()> m_share;
    ServerStatus m_status;
    ServerIdentity m_identity;
    QPointer<HttpCall> m_start;
    StepCounts m_stepsBefore;
    FolderFiles m_before, m_lastFiles;
    bool m_isFolderMissing = false; // according to the last list
    std::string m_listProblem;      // why the last list failed; empty = it succeeded
    std::string m_stopProblem;      // the stop failed, but there may still be files
    int m_sameLists = 0;
    int m_refused = 0;       // consecutive requests for which no server listened
    double m_recorded_s = 0; // from the start's answer to the stop request
    bool m_isCanceled = false, m_wasStopped = false, m_endsByItself = false, m_isTimedOut = false;
    QElapsedTimer m_clock;     // since the start request
    QElapsedTimer m_phase;     // since the current state
    QElapsedTimer m_recording; // since the answer to the start request
    QTimer m_alive, m_report, m_deadline;
};

} // namespace lockstep
