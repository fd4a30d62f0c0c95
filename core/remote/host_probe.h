// SPDX-License-Identifier: Apache-2.0
// HostProbe queries the host information of every host of a session, several hosts at a time. Used by the
// session checks and by the session page.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include <QObject>

#include "core/remote/run.h"

namespace lockstep {

// A host that did not respond, and the reason.
struct UnansweredProbe {
    std::string host;
    LinkFailure link = LinkFailure::none;
    Error error;
    std::string address; // argument for ssh; "" = this machine
};

// A note for the user about a host that responded.
struct ProbeNote {
    std::string host;
    std::string text;
};

class HostProbe : public QObject {
    Q_OBJECT

  public:
    // Queries the hosts of the plan for their information and for what the plan needs. If the plan uses the
    // capture library, the library is also copied to the hosts, and the host information contains its path.
    // Starts from the event loop.
    HostProbe(const SessionConfig& config, const LaunchPlan& plan, RunOptions options,
              QObject* parent = nullptr);

    // Returns the information from the hosts that responded, in host order.
    std::vector<HostFacts> facts() const;
    const std::vector<UnansweredProbe>& unanswered() const { return m_unanswered; }
    const std::vector<ProbeNote>& notes() const { return m_notes; }

  signals:
    void hostDone(size_t done, size_t total);
    // A host has not responded for some time during a call. text: a sentence without the host's name.
    void hostWaits(const std::string& host, const std::string& text);
    void finished();

  private:
    struct Request {
        std::string host;
        AgentClient* client = nullptr;
        HostQuery query;
        bool needsLibrary = false; // the plan needs the capture library on this host
        std::optional<HostFacts> facts;
    };
    void next();
    void queryHost(size_t index, std::optional<std::string> library);
    void take(size_t index, Result<HostFacts> answer);

    RunOptions m_options;
    std::vector<Request> m_hosts;
    std::vector<UnansweredProbe> m_unanswered;
    std::vector<ProbeNote> m_notes;
    std::deque<size_t> m_queue;
    size_t m_active = 0;
    size_t m_done = 0;
};

// Creates the Remote for a host: from options.makeRemote if set, otherwise a LocalRemote for "" or an
// SshRemote.
std::shared_ptr<const Remote> makeRemote(const RunOptions& options, const std::string& address);

} // namespace lockstep
