// SPDX-License-Identifier: Apache-2.0
// AgentClient runs lockstep-agent on one host: it installs the agent once per version and calls its commands.
// Each answer function is called at most once, on this object's thread, and never after the object is
// deleted. The host is not trusted, so every response is limited in size, idle time and total time.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QByteArray>
#include <QElapsedTimer>
#include <QObject>

#include "core/base/result.h"
#include "core/remote/line_splitter.h"
#include "core/remote/remote.h"
#include "core/remote/run_event.h"
#include "core/session/host_facts.h"

namespace lockstep {

// AgentProgram holds the contents and digests of the two files that Lockstep copies to hosts, its agent and
// its capture library. Loaded once before a run starts, used by AgentClient. Copies of the struct share the
// bytes. Immutable; any thread.
struct AgentProgram {
    QByteArray bytes;
    std::string sha256;
    QByteArray library = {}; // liblockstep_capture.so; empty if this machine does not have it
    std::string librarySha256 = {};
};
// Paths of both files on this machine. The library is empty if this machine does not have it; the agent may
// not exist.
struct AgentProgramFiles {
    std::filesystem::path agent, library;
};
// Looks for the files without reading them.
AgentProgramFiles findAgentProgramFiles();
// Loads the agent from LOCKSTEP_AGENT, by default next to this program. Loads the library from
// LOCKSTEP_CAPTURE_LIBRARY, by default next to this program or in ../lib. Reads both files completely, so do
// not call this function on the UI thread. Errors: notFound if there is no agent; io.
Result<AgentProgram> findAgentProgram();

template<class T>
using Answer = std::function<void(Result<T>)>;

// Returns the path of the installed agent on a host, quoted for the shell. For `folder`, see
// Host::agentFolder.
std::string quotedAgentPathOf(const AgentProgram& program, const std::string& folder = {});

// One line of `lockstep-agent list`.
struct ListedReport {
    std::string path; // path on the host
    int64_t size_bytes = 0;
    int64_t modified_ns = 0; // Unix epoch, host's clock
    std::string kind;        // "nsys report", "sqlite", "trace json", ...
    std::string sha256;      // 64 hexadecimal digits; empty if the file could not be read
    bool isComplete = false;
    std::string reason;      // why the report is incomplete
    bool isFlushing = false; // a running process is still writing it
    std::string node;        // the name that the host itself uses
    bool isShared = false;   // below the working folder, but in no report folder
    std::string otherRun;    // ID of a run that wrote to the same folder at that time; "" = none
};

class AgentClient : public QObject {
    Q_OBJECT

  public:
    AgentClient(std::shared_ptr<const Remote> remote, AgentProgram program, QObject* parent = nullptr,
                std::string folder = {});

    // Sets the idle time after which later calls give up. The default is 60 s.
    void setIdleTimeout(int idleLimit_s) { m_idleTimeout_s = idleLimit_s; }

    // Installs this agent at ~/.cache/lockstep/agent/VERSION-DIGEST/lockstep-agent, or in agent/ of the
    // configured agent folder, unless it is there with the same sha256. All calls below first do this.
    // Errors: remote, io.
    void install(Answer<void> answer);
    // Copies this capture library to ~/.cache/lockstep/capture/VERSION-DIGEST/ on the host, or to capture/ of
    // the configured agent folder, with mode 0700, unless it is there already. The answer is its full path on
    // the host, or notFound if this machine has no capture library.
    void installLibrary(Answer<std::string> answer);
    // Queries host information, and measures the clock offset with its error through ClockExchange. The
    // caller sets the host's name. `words` are additional queries, see probeArguments().
    void probe(const std::vector<std::string>& words, Answer<HostFacts> answer);
    // Sets the values of the plan's secrets, keyed by name. The names in `without` have no value. The values
    // are sent over standard input with every call that may start a command on the host, and never appear on
    // a command line.
    void setSecrets(const TextPairs& values, const std::vector<std::string>& without);
    // Starts planJson in runDir (relative to the home folder unless absolute), detached. Starting the same
    // runDir again is not an error, because the response to the first start may have been lost. Commands with
    // an order above `until` wait for go(); nullopt means that no command waits. If `stays`, the agent
    // continues to monitor after its last command, until finish() is called.
    void start(std::string planJson, std::string runDir, std::optional<int> until, bool stays,
               Answer<void> answer);
    // Reads the events starting at seq `from` until the run ends or the link is lost. If the run ends, the
    // answer has no error, and nothing after the end is read. Only one follow() may be active at a time.
    // rawLine is the event as written, without its newline. onEvent returns false to reject an event. Lines
    // that are too long, are not events, or are rejected are counted in skipped(). If a host sends more than
    // kMaxUseless_bytes of such lines, reading stops with corrupt.
    using OnEvent = std::function<bool(const RunEvent& event, std::string_view rawLine)>;
    static constexpr uint64_t kMaxUseless_bytes = 16 << 20;
    static constexpr size_t kLongestEvent_bytes = 4 << 20;
    void follow(std::string runDir, uint64_t from, OnEvent onEvent, Answer<void> answer);
    // Reads the recorded events without starting anything on the host; otherwise the same as follow().
    // Answers without an error once all events were read.
    void readRecorded(std::string runDir, uint64_t from, OnEvent onEvent, Answer<void> answer);
    void unfollow();
    // Starts the commands up to this order, which wait for other hosts.
    void go(std::string runDir, int order, Answer<void> answer);
    // Sends the agent the list of hosts for the clock exchange, see capture/agent/clock_peers.h. The text
    // contains a token, so it is sent over standard input.
    void sendPeers(std::string runDir, std::string peersJson, Answer<void> answer);
    // Sends SIGTERM, waits grace_s for the profiler to flush, then sends SIGKILL. Answers once the run has
    // ended.
    void stop(std::string runDir, double grace_s, Answer<void> answer);
    // Ends the monitoring of a run that was started with `stays`. Its processes continue, and the agent still
    // waits for reports.
    void finish(std::string runDir, Answer<void> answer);
    // Lists every report in the run's roots with its digest. Takes as long as reading all of them once.
    static constexpr size_t kMaxListed = 30'000;
    // If `isElsewhere`, the run folder belongs to another host and is visible on this host. Only files on a
    // shared disk are listed.
    void list(std::string runDir, bool isElsewhere, Answer<std::vector<ListedReport>> answer);
    // Number of unreadable lines in the last list, and number of reports beyond the first kMaxListed.
    size_t lostLines() const { return m_lostLines; }
    size_t unlistedReports() const { return m_unlistedReports; }
    // Deletes the folder of an ended run on the host. The answer is the number of freed bytes; 0 if there was
    // no folder.
    void remove(std::string runDir, Answer<int64_t> answer);
    // Converts reports to one file of packed columns on the host. The answer describes that file in the same
    // way as list().
    void reduce(std::vector<std::string> paths, std::string target, Answer<ListedReport> answer);

    const std::shared_ptr<const Remote>& remote() const { return m_remote; }
    std::string quotedAgentPath() const { return quotedAgentPathOf(m_program, m_folder); }
    // Checks the installation again before the next call, because the host may have been reinstalled.
    void forgetInstallation() { m_isInstalled = false; }
    // Text that the host's shell printed before it ran a command, from the last call that received any; at
    // most 4 KiB.
    const std::string& greeting() const { return m_greeting; }
    // Kind of the last failure, which indicates whether a retry may help.
    LinkFailure lastLinkFailure() const { return m_lastLink; }
    // Number of unused lines in all follow() calls.
    struct Skipped {
        uint64_t tooLong = 0, notEvents = 0, refused = 0;
        uint64_t bytes = 0;

        uint64_t lines() const { return tooLong + notEvents + refused; }
    };
    const Skipped& skipped() const { return m_skipped; }

  signals:
    // A call has received no response for some time. text: a sentence for the user (see RemoteCall::waits()).
    void waits(const std::string& text);
    // The host sent lines after the end of the run. They are not read.
    void sentAfterEnd();

  private:
    // A file to copy to a host, into a folder whose name contains the file's digest.
    struct HostFile {
        std::string word; // path of the file, quoted for the shell
        std::string name; // for messages
        QByteArray bytes;
        std::string sha256;
    };

    void afterInstall(std::function<void(const Error*)> next);
    void copyFile(HostFile file, Answer<std::string> answer);
    void finishInstall(const Error* error);
    std::string secretsOption() const { return m_secretsLine.empty() ? "" : " --secrets"; }
    void requestStop(std::string runDir, std::string words, double grace_s, Answer<void> answer);
    void attach(std::string words, OnEvent onEvent, Answer<void> answer, bool isRecorded);
    void endFollow(Status how);
    int shortLimit_s() const;
    CallLimits limitsFor(std::string what, int total_s, qint64 max_bytes) const;
    void watch(RemoteCall* call);
    void send(const std::string& shellText, const QByteArray& input, CallLimits limits,
              Answer<QByteArray> answer);
    void requestList(const std::string& words, Answer<std::vector<ListedReport>> answer);
    void readClocks(HostFacts facts, Answer<HostFacts> answer);
    void receiveEvents(const QByteArray& bytes);

    std::shared_ptr<const Remote> m_remote;
    AgentProgram m_program;
    std::string m_folder;      // agent folder on the host; "" = default locations in the home folder
    std::string m_secretsLine; // JSON followed by a newline; empty = no secrets
    bool m_isInstalled = false;
    // Callers that wait for the installation in progress.
    std::vector<std::function<void(const Error*)>> m_afterInstall;
    LinkFailure m_lastLink = LinkFailure::none;
    std::string m_greeting;
    size_t m_lostLines = 0, m_unlistedReports = 0;
    int m_idleTimeout_s = 60;
    RemoteCall* m_follower = nullptr;
    LineSplitter m_followed{kLongestEvent_bytes};
    QElapsedTimer m_lastLine; // time since the last complete line of follow()
    Skipped m_skipped;
    OnEvent m_onEvent;
    Answer<void> m_onFollowEnd;
};

// Returns the message for the user about a greeting.
std::string greetingText(std::string_view greeting);
// Returns the quoted shell text for a path on a host. Relative paths are relative to the home folder.
std::string quotedHostPath(std::string_view path);
// Parses the output of `lockstep-agent list`. Invalid lines are skipped and counted in *lost.
std::vector<ListedReport> listedReportsFrom(std::string_view text, size_t* lost = nullptr);

} // namespace lockstep
