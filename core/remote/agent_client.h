// SPDX-License-Identifier: Apache-2.0
// AgentClient runs lockstep-agent on one host: it installs the program there once per version and calls its
// commands. Answers come through the functions given, on this object's thread, at most once each, and never
// after it was deleted. The host is not trusted: every reply has limits of size, silence and time.
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

#include "core/remote/agent_program.h"
#include "core/remote/line_splitter.h"
#include "core/remote/remote.h"
#include "core/remote/run_event.h"
#include "core/session/host_facts.h"

namespace lockstep {

template<class T>
using Answer = std::function<void(Result<T>)>;

// The shell's word for the program on a host, once it was put there. folder: see Host::agentFolder.
std::string agentWordOf(const AgentProgram& program, const std::string& folder = {});

// One line of `lockstep-agent list`.
struct ListedReport {
    std::string path; // on the host
    int64_t size_bytes = 0;
    int64_t modified_ns = 0; // Unix epoch, host's clock
    std::string kind;        // "nsys report", "sqlite", "trace json", ...
    std::string sha256;      // 64 hexadecimal digits; empty when it could not be read
    bool isComplete = false;
    std::string reason;      // why not complete
    bool isFlushing = false; // a live process still writes it
    std::string node;        // what the host calls itself
    bool isShared = false;   // below the working folder, in no folder for reports
    std::string otherRun;    // id of a run that wrote into the same folder at that time; "" = none
};

class AgentClient : public QObject {
    Q_OBJECT

  public:
    AgentClient(std::shared_ptr<const Remote> remote, AgentProgram program, QObject* parent = nullptr,
                std::string folder = {});

    // Silence after which a call is given up, for all calls made from now on. Default 60 s.
    void setPatience(int silence_s) { m_patience_s = silence_s; }

    // Makes sure the host has this very agent at ~/.cache/lockstep/agent/VERSION-DIGEST/lockstep-agent, or
    // below agent/ of its own folder, checked by sha256. Everything below asks for it first. remote, io.
    void install(Answer<void> answer);
    // Makes sure that the host has this very capture library, at ~/.cache/lockstep/capture/VERSION-DIGEST/ or
    // below capture/ of the agent's own folder, 0700. Answers with its full path there. notFound: there is
    // none here.
    void putLibrary(Answer<std::string> answer);
    // Host facts with clock offset and its error from three round trips. The host's name is left for the
    // caller. words: what to ask about besides, see probe_questions.h.
    void probe(const std::vector<std::string>& words, Answer<HostFacts> answer);
    // Values of the plan's secrets, by name; names of `without` are known to have none. They go to the host
    // over the connection's standard input with every word that may start a command there, and into no text.
    void setSecrets(const TextPairs& values, const std::vector<std::string>& without);
    // Starts planJson in runDir (relative to the home folder where not absolute), detached. The same runDir
    // twice is no error when the first start got through and its answer was lost.
    // Commands of an order above `until` wait for go(); none: nothing waits.
    // stays: the agent watches on behind its last command until it is told to finish.
    void start(std::string planJson, std::string runDir, std::optional<int> until, bool stays,
               Answer<void> answer);
    // Follows the events from seq `from` on until the run ends (answer without an error; nothing after it is
    // read) or the link does. One follow at a time. rawLine is the event as written, without its newline.
    // onEvent returns false for an event that it refuses. Lines that are too long, are not events, or are
    // refused are counted in skipped(); a host that sends more than kMostUseless_bytes of them is cut off:
    // corrupt.
    using OnEvent = std::function<bool(const RunEvent& event, std::string_view rawLine)>;
    static constexpr uint64_t kMostUseless_bytes = 16 << 20;
    static constexpr size_t kLongestEvent_bytes = 4 << 20;
    void follow(std::string runDir, uint64_t from, OnEvent onEvent, Answer<void> answer);
    // Reads the events that are recorded, and starts nothing there; otherwise like follow(). Answers without
    // an error once all were read.
    void readRecorded(std::string runDir, uint64_t from, OnEvent onEvent, Answer<void> answer);
    void unfollow();
    // Lets commands up to this order begin, where the plan has them wait for other hosts.
    void go(std::string runDir, int order, Answer<void> answer);
    // Tells the run there whose clocks its agent compares its own with, see capture/agent/clock_peers.h. The
    // text holds a token: it goes over standard input.
    void introduce(std::string runDir, std::string peersJson, Answer<void> answer);
    // SIGTERM, grace_s for the profiler's flush, SIGKILL. Answers when the run has ended.
    void stop(std::string runDir, double grace_s, Answer<void> answer);
    // Ends the watching of a run that stays; what it started lives on, and reports are still waited for.
    void finish(std::string runDir, Answer<void> answer);
    // Every report below the run's roots, with digests. Takes as long as reading them once.
    static constexpr size_t kMostListed = 30'000;
    // isElsewhere: the run folder is another host's, which this one sees; only files that are on a disk of
    // both are listed.
    void list(std::string runDir, bool isElsewhere, Answer<std::vector<ListedReport>> answer);
    // Lines of the last list that could not be read, and reports in it after the first kMostListed.
    size_t lostLines() const { return m_lostLines; }
    size_t unlistedReports() const { return m_unlistedReports; }
    // Deletes an ended run's folder on the host. Answers with the bytes that were freed; 0: there was none.
    void remove(std::string runDir, Answer<int64_t> answer);
    // Reports to one file of packed columns on the host; answers with that file as list() would.
    void reduce(std::vector<std::string> paths, std::string target, Answer<ListedReport> answer);

    const std::shared_ptr<const Remote>& remote() const { return m_remote; }
    std::string agentWord() const { return agentWordOf(m_program, m_folder); }
    // The installation is looked at again before the next word: the host may have been set up anew.
    void forgetInstallation() { m_isInstalled = false; }
    // What the host's shell prints before it runs anything, of the last call that saw it; at most 4 KiB.
    const std::string& greeting() const { return m_greeting; }
    // How the last failed answer failed; says whether trying again may help.
    LinkFailure lastLinkFailure() const { return m_lastLink; }
    // Lines of all follows that were not used.
    struct Skipped {
        uint64_t tooLong = 0, notEvents = 0, refused = 0;
        uint64_t bytes = 0;

        uint64_t lines() const { return tooLong + notEvents + refused; }
    };
    const Skipped& skipped() const { return m_skipped; }

  signals:
    // A sentence for the user: a call has had no answer for some time (see RemoteCall::waits()).
    void waits(const std::string& text);
    // Lines follow the run's end. They are not read.
    void sentAfterEnd();

  private:
    // A file that belongs on a host, under a name that its digest is part of.
    struct HostFile {
        std::string word; // the shell's, for its path
        std::string name; // for people
        QByteArray bytes;
        std::string sha256;
    };

    void afterInstall(std::function<void(const Error*)> next);
    void place(HostFile file, Answer<std::string> answer);
    void settleInstall(const Error* error);
    std::string secretsWord() const { return m_secretsLine.empty() ? "" : " --secrets"; }
    void askToStop(std::string runDir, std::string words, double grace_s, Answer<void> answer);
    void attach(std::string words, OnEvent onEvent, Answer<void> answer, bool isRecorded);
    void endFollow(Status how);
    int shortLimit_s() const;
    CallLimits limitsFor(std::string what, int total_s, qint64 most_bytes) const;
    void watch(RemoteCall* call);
    void ask(const std::string& shellText, const QByteArray& input, CallLimits limits,
             Answer<QByteArray> answer);
    void askToList(const std::string& words, Answer<std::vector<ListedReport>> answer);
    void readClocks(HostFacts facts, Answer<HostFacts> answer);
    void takeFollowed(const QByteArray& bytes);

    std::shared_ptr<const Remote> m_remote;
    AgentProgram m_program;
    std::string m_folder;      // on the host; "" = the home folder's places
    std::string m_secretsLine; // JSON and a newline; empty: the plan has none
    bool m_isInstalled = false;
    std::vector<std::function<void(const Error*)>> m_afterInstall; // waiting for the running installation
    LinkFailure m_lastLink = LinkFailure::none;
    std::string m_greeting;
    size_t m_lostLines = 0, m_unlistedReports = 0;
    int m_patience_s = 60;
    RemoteCall* m_follower = nullptr;
    LineSplitter m_followed{kLongestEvent_bytes};
    QElapsedTimer m_lastLine; // since the follow's last whole line
    Skipped m_skipped;
    OnEvent m_onEvent;
    Answer<void> m_onFollowEnd;
};

// The note about a greeting, for people.
std::string greetingText(std::string_view greeting);
// The shell's word for a path on a host: below the home folder unless absolute.
std::string hostPathWord(std::string_view path);
// A line of `lockstep-agent list`; nullopt where it is not one.
std::optional<ListedReport> listedReportFrom(std::string_view line);
// Lines of `lockstep-agent list`; lines that are not JSON are skipped and counted in lost.
std::vector<ListedReport> listedReportsFrom(std::string_view text, size_t* lost = nullptr);

} // namespace lockstep
