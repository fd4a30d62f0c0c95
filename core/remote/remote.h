// SPDX-License-Identifier: Apache-2.0
// Remote is a host that can run shell text; RemoteCall is one such call while it runs. Everything else in
// this folder (agent, transfers, Slurm) uses calls. A call is a child process, reports through signals, and
// belongs to the thread that created it. Deleting a call kills its process; nothing ever blocks. The host is
// not trusted, so each call is limited in size, idle time and total time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <QByteArray>
#include <QElapsedTimer>
#include <QLoggingCategory>
#include <QObject>
#include <QProcess>
#include <QTimer>

#include "core/base/result.h"

namespace lockstep {

// Why a call could not reach its host or lost the connection.
enum class LinkFailure : uint8_t {
    none,
    unreachable,    // name, route, port or timeout
    hostKey,        // host key unknown, changed or revoked; the user must decide
    authentication, // the host accepts none of the keys or agents
    configuration,  // ssh's options or files are wrong, or ssh is not installed
    lost            // the connection was lost
};
std::string_view linkFailureName(LinkFailure failure);
// Returns whether a later retry may help. If false, the user must act.
bool isWorthRetrying(LinkFailure failure);

struct CallResult {
    int code = -1; // exit status of the shell text; -1 if there is none
    LinkFailure link = LinkFailure::none;
    bool isCanceled = false; // stopped by cancel()
    QByteArray output;       // standard output, if collected
    std::string greeting; // text that the host's shell printed to standard output before the call's text ran;
                          // first 4 KiB
    std::string errorText; // standard error; only the last 64 KiB
    Error error;           // error for the user; its message is empty if code is 0

    bool isOk() const { return code == 0 && !isCanceled && link == LinkFailure::none; }
};

// Limits of one call. A call that exceeds a limit is stopped, and its error message contains `what`.
struct CallLimits {
    std::string what = "a command"; // for messages, such as "probe", "list", "attach"
    int idleLimit_s = 60;           // maximum time without data in either direction; 0 = no limit
    int total_s = 0;                // maximum total time; 0 = no limit
    qint64 max_bytes = 64 << 20;    // maximum size of standard output; 0 = no limit
};

// RemoteCall is a running call. Start-up files of the host's shell may print text first. A call's text
// therefore prints kBeginLine before anything else, and only the text after that line is output.
class RemoteCall : public QObject {
    Q_OBJECT

  public:
    static constexpr std::string_view kBeginLine = "lockstep-speaks-from-here";
    // Idle time after which waits() is emitted for the first time.
    static constexpr int kFirstWait_s = 15;

    // Starts immediately. If `collectsOutput`, output is collected for the result instead of being emitted.
    RemoteCall(std::shared_ptr<const class Remote> remote, std::string_view shellText, bool collectsOutput,
               CallLimits limits, QObject* parent);
    ~RemoteCall() override;

    // Writes to the standard input of the shell text. pendingBytes() returns how many bytes have not been
    // sent yet.
    void write(const QByteArray& bytes);
    void closeInput();
    qint64 pendingBytes() const;
    // Terminates the local process. finished() follows with isCanceled.
    void cancel();
    // Increases CallLimits::max_bytes.
    void allow(qint64 more_bytes) { m_limits.max_bytes += more_bytes; }

  signals:
    void outputArrived(const QByteArray& bytes);
    // The host has been silent for kFirstWait_s. Emitted again each time the idle time has doubled. text: a
    // sentence for the user.
    void waits(const std::string& text);
    // The last signal, emitted exactly once. A slot may call deleteLater() on the call.
    void finished(const lockstep::CallResult& result);

  private:
    void receiveOutput();
    QByteArray withoutGreeting(QByteArray bytes);
    void receiveErrors();
    void checkLimits();
    void noteActivity();
    // Stops the call and reports this error instead of the error of the process.
    void cutOff(LinkFailure link, ErrorKind kind, const std::string& text);
    void finish(int code);
    void failToStart();

    std::shared_ptr<const Remote> m_remote;
    QProcess* m_process;
    CallResult m_result;
    bool m_collectsOutput;
    bool m_hasBegun = false;
    QByteArray m_before; // output before the begin line
    bool m_isOver = false;
    CallLimits m_limits;
    QTimer m_limitTimer; // fires every second
    QElapsedTimer m_began, m_lastActivity, m_sinceCheck;
    int m_nextWait_s = kFirstWait_s;
    qint64 m_output_bytes = 0, m_before_bytes = 0, m_error_bytes = 0;
    std::optional<CallResult> m_cutOff; // set if the call was stopped because of a limit
};

// Remote is immutable and shared by all calls of a host. Any thread.
class Remote : public std::enable_shared_from_this<Remote> {
  public:
    virtual ~Remote() = default;

    // Returns the name of the host for messages: its address, "this machine", "node n1 of job 12".
    virtual std::string name() const = 0;
    // Returns the local command line that runs shellText in the host's POSIX shell.
    virtual std::vector<std::string> localCommand(std::string_view shellText) const = 0;
    // Returns the link failure for an exit status and the standard error of the local program. Returns none
    // if the shell text itself ended with that status.
    virtual LinkFailure linkFailure(int code, std::string_view errorText) const = 0;
    // Returns one line that describes the failure and a remedy.
    virtual std::string linkFailureText(LinkFailure failure, std::string_view errorText) const = 0;
    // Returns the help topic about the failure.
    virtual HelpTopic linkFailureHelp(LinkFailure failure, std::string_view errorText) const;

    // Starts a call as a child of parent and collects its output for the result. shellText may contain any
    // bytes except NUL.
    RemoteCall* call(std::string_view shellText, QObject* parent, CallLimits limits = {}) const;
    // Starts a call that emits its output as signals.
    RemoteCall* streamCall(std::string_view shellText, QObject* parent, CallLimits limits = {}) const;
};

// Log category lockstep.remote for hosts and their connections. Printed only on request
// (QT_LOGGING_RULES="lockstep.*=true"). The window stores the log for Help > Save log. Never contains values
// of secrets, plans, or program output.
Q_DECLARE_LOGGING_CATEGORY(remoteLog)

// LocalRemote represents this machine as a host, for local sessions and tests. It uses the same shell, and
// has no link that could fail.
class LocalRemote : public Remote {
  public:
    std::string name() const override { return "this machine"; }
    std::vector<std::string> localCommand(std::string_view shellText) const override;
    LinkFailure linkFailure(int code, std::string_view errorText) const override;
    std::string linkFailureText(LinkFailure failure, std::string_view errorText) const override;
};

} // namespace lockstep
