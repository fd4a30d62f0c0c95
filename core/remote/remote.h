// SPDX-License-Identifier: Apache-2.0
// Remote: one host that shell text can be run on, and RemoteCall: one such text while it runs. Everything
// else of this folder (the agent, transfers, Slurm) is made of calls. A call is a child process of this one,
// answers through signals and belongs to the thread that made it. Deleting a call ends its process; nothing
// ever blocks. The host is not trusted: each call has limits of size, silence and time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <QByteArray>
#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QTimer>

#include "core/base/result.h"

namespace lockstep {

// Why a call could not reach its host, or lost it on the way.
enum class LinkFailure : uint8_t {
    none,
    unreachable,    // name, route, port or time
    hostKey,        // unknown, changed or revoked: a person must look
    authentication, // no key or agent that the host takes
    configuration,  // ssh's own words or files are wrong, or ssh is not installed
    lost            // it was there and went away
};
std::string_view linkFailureName(LinkFailure failure);
// Trying again later may help; a person must act otherwise.
bool isWorthRetrying(LinkFailure failure);

struct CallResult {
    int code = -1; // the text's exit status; -1 when there is none
    LinkFailure link = LinkFailure::none;
    bool isCanceled = false; // by cancel()
    QByteArray output;       // standard output, when kept
    std::string greeting;    // what the host's shell printed there before the text began; its first 4 KiB
    std::string errorText;   // standard error, its last 64 KiB
    Error error;             // what went wrong, for people; empty message when code is 0

    bool isOk() const { return code == 0 && !isCanceled && link == LinkFailure::none; }
};

// What a host may take and send in one call. A call that exceeds a limit is ended; its result is an error
// that names `what`.
struct CallLimits {
    std::string what = "a command"; // for messages: "probe", "list", "attach"
    int silence_s = 60;             // without a byte from the host or to it; 0 = no limit
    int total_s = 0;                // 0 = no limit
    qint64 most_bytes = 64 << 20;   // of standard output; 0 = no limit
};

// A shell's start-up files may print, and what they print comes first: a call's text says this line before
// anything else, and its output is what follows.
class RemoteCall : public QObject {
    Q_OBJECT

  public:
    static constexpr std::string_view kBeginLine = "lockstep-speaks-from-here";
    // Silence after which waits() is sent for the first time.
    static constexpr int kFirstWait_s = 15;

    // Starts at once. keepsOutput: output is gathered for the result instead of arriving as a signal.
    RemoteCall(std::shared_ptr<const class Remote> remote, std::string_view shellText, bool keepsOutput,
               CallLimits limits, QObject* parent);
    ~RemoteCall() override;

    // Bytes for the text's standard input. pendingBytes() tells what is not on its way yet.
    void write(const QByteArray& bytes);
    void closeInput();
    qint64 pendingBytes() const;
    // Ends the local process; finished() follows with isCanceled.
    void cancel();
    // Bytes that a stream may still send; see CallLimits::most_bytes.
    void allow(qint64 more_bytes) { m_limits.most_bytes += more_bytes; }

  signals:
    void outputArrived(const QByteArray& bytes);
    void inputWritten();
    // The host has been silent for kFirstWait_s, and again each time that has doubled: a sentence for people.
    void waits(const std::string& text);
    // The last signal, exactly once. The call may be deleted (later) in its slot.
    void finished(const lockstep::CallResult& result);

  private:
    void takeOutput();
    QByteArray withoutGreeting(QByteArray bytes);
    void takeErrors();
    void look();
    void noteActivity();
    // Ends the call with this error instead of the process's own.
    void cutOff(LinkFailure link, ErrorKind kind, const std::string& text);
    void finish(int code);
    void failToStart();

    std::shared_ptr<const Remote> m_remote;
    QProcess* m_process;
    CallResult m_result;
    bool m_keepsOutput;
    bool m_hasBegun = false;
    QByteArray m_before; // while it has not
    bool m_isOver = false;
    CallLimits m_limits;
    QTimer m_look; // each second
    QElapsedTimer m_began, m_lastActivity, m_sinceLook;
    int m_nextWait_s = kFirstWait_s;
    qint64 m_output_bytes = 0, m_before_bytes = 0, m_error_bytes = 0;
    std::optional<CallResult> m_cutOff; // why the call was ended
};

// Immutable and shared by all calls of a host; safe on any thread.
class Remote : public std::enable_shared_from_this<Remote> {
  public:
    virtual ~Remote() = default;

    // What people call the host in messages: its address, "this machine", "node n1 of job 12".
    virtual std::string name() const = 0;
    // The local program and its arguments that run shellText in the host's POSIX shell.
    virtual std::vector<std::string> localWords(std::string_view shellText) const = 0;
    // What an exit status and standard error of the local program say about the link; none when the text
    // itself ended with that status.
    virtual LinkFailure linkFailure(int code, std::string_view errorText) const = 0;
    // The failure in plain words with what to do, one line.
    virtual std::string linkFailureText(LinkFailure failure, std::string_view errorText) const = 0;

    // A running call, child of parent. shellText may hold any bytes but NUL.
    // output kept for the result
    RemoteCall* call(std::string_view shellText, QObject* parent, CallLimits limits = {}) const;
    // output as signals
    RemoteCall* streamCall(std::string_view shellText, QObject* parent, CallLimits limits = {}) const;
};

} // namespace lockstep
