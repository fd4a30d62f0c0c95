// SPDX-License-Identifier: Apache-2.0
// ClockIntroduction: tells the agents of a run of each other, so that they compare their clocks: collects the
// ports they listen on (events of kind clock_exchange), makes the run's token, and gives each its peers over
// the link that the run has to it. Every host asks the first two hosts: any two clocks are at most two
// measurements apart, and a thousand hosts are two thousand pairs, not half a million. Hosts that say they
// cannot reach a peer are measured from here instead, over their links (see LinkClock). Owned by Run; its
// thread.
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

class ClockIntroduction : public QObject {
    Q_OBJECT

  public:
    explicit ClockIntroduction(Run& run);
    ~ClockIntroduction() override;

    // What each host that listens has to be told; by its number in the run. Pure but for the token.
    std::map<size_t, std::string> peersByHost() const;

  private:
    void note(size_t host, const RunEvent& event);
    void introduce();
    void tellNext();
    void measureOverLink(size_t host);

    Run& m_run;
    std::array<unsigned char, 16> m_token{}; // in memory and in the agents' run folders alone
    QTimer m_soon;                           // hosts begin one after another
    std::map<size_t, std::string> m_told;
    std::deque<size_t> m_waiting;
    size_t m_telling = 0;
    std::map<size_t, LinkClock*> m_links;
};

} // namespace lockstep
