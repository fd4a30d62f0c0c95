// SPDX-License-Identifier: Apache-2.0
// HostProbe: asks every host of a session what it has, some at a time. For preflight, before a run and in the
// form.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include <QObject>

#include "core/remote/run.h"

namespace lockstep {

// A host that gave no answer, and why.
struct UnansweredProbe {
    std::string host;
    LinkFailure link = LinkFailure::none;
    Error error;
};

// Something about a host that answered, for people.
struct ProbeNote {
    std::string host;
    std::string text;
};

class HostProbe : public QObject {
    Q_OBJECT

  public:
    // Asks the hosts of the plan for what they have, and for what the plan needs. Where the plan has the
    // capture library put on them, that is done now, and the facts say where it is. Begins from the event
    // loop.
    HostProbe(const SessionConfig& config, const LaunchPlan& plan, RunOptions options,
              QObject* parent = nullptr);

    // In the order of the hosts, those that answered.
    std::vector<HostFacts> facts() const;
    const std::vector<UnansweredProbe>& unanswered() const { return m_unanswered; }
    const std::vector<ProbeNote>& notes() const { return m_notes; }

  signals:
    void hostDone(size_t done, size_t total);
    // A host is silent though a call to it is open: a sentence without the host's name.
    void hostWaits(const std::string& host, const std::string& text);
    void finished();

  private:
    struct Asked {
        std::string host;
        AgentClient* client = nullptr;
        std::vector<std::string> words;
        bool wantsLibrary = false; // of the capture, which the plan has Lockstep put there
        std::optional<HostFacts> facts;
    };
    void next();
    void ask(size_t index, std::optional<std::string> library);
    void take(size_t index, Result<HostFacts> answer);

    RunOptions m_options;
    std::vector<Asked> m_hosts;
    std::vector<UnansweredProbe> m_unanswered;
    std::vector<ProbeNote> m_notes;
    std::deque<size_t> m_queue;
    size_t m_active = 0;
    size_t m_done = 0;
};

// The seam to a host as the options make it.
std::shared_ptr<const Remote> makeRemote(const RunOptions& options, const std::string& address);

} // namespace lockstep
