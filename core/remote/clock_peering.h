// SPDX-License-Identifier: Apache-2.0
// ClockPeering makes the agents of a run compare their clocks. It collects the ports that the agents
// listen on (events of kind clock_exchange), creates the run's token, and sends each agent its peers over the
// run's link. Every host queries the first two hosts. Any two clocks are then at most two measurements apart,
// and a thousand hosts need two thousand pairs instead of half a million. Hosts that cannot reach a peer are
// measured from this machine over their links (see LinkClock). Owned by Run; runs on its thread.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include <QObject>
#include <QTimer>

namespace lockstep {

class LinkClock;
class Run;
struct RunEvent;

class ClockPeering : public QObject {
    Q_OBJECT

  public:
    explicit ClockPeering(Run& run);
    ~ClockPeering() override;

    // Returns the peers message for each listening host, keyed by the host's index in the run. Depends only
    // on the run and the token.
    std::map<size_t, std::string> peersByHost() const;

  private:
    void note(size_t host, const RunEvent& event);
    void sendPeers();
    void sendNext();
    void measureOverLink(size_t host);

    Run& m_run;
    std::array<unsigned char, 16> m_token{}; // stored only in memory and in the agents' run folders
    QTimer m_delay; // short delay, so that hosts that start shortly after each other are handled together
    std::map<size_t, std::string> m_messages;
    std::deque<size_t> m_waiting;
    size_t m_sending = 0;
    std::map<size_t, LinkClock*> m_links;
};

} // namespace lockstep
