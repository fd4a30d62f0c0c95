// SPDX-License-Identifier: Apache-2.0
// ClockWatch: the supervisor's side of the clock exchange: opens it where the plan wants one, hands it the
// peers once the launcher has written them into the run folder, and puts what it finds into the event log.
// The supervisor's thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "capture/agent/clock_exchange.h"
#include "capture/agent/event_log.h"
#include "capture/agent/run_folder.h"

namespace lockstep::agent {

class ClockWatch {
  public:
    // wanted: as the plan says; without it there is no socket and no thread.
    ClockWatch(const RunFolder& folder, bool wanted, EventLog& log);

    // Once the run is told to have begun: listens, and tells where. That there is no port is an event, too.
    void begin();
    // Each second or so. hasRoom: the disk has some; without it rounds are counted instead of written.
    void tell(bool hasRoom);
    // The last of it; the peers' file goes.
    void end();

  private:
    void lookForPeers();
    void tellDropped(const ClockFindings& found);
    std::string nameOf(uint32_t number) const;

    const RunFolder& m_folder;
    const bool m_isWanted;
    EventLog& m_log;
    std::unique_ptr<ClockExchange> m_exchange;
    std::string m_peersText; // as last read
    std::map<uint32_t, std::string> m_names;
    uint64_t m_toldDropped = 0, m_unwritten = 0;
    int64_t m_nextDropped_ns = 0;
};

} // namespace lockstep::agent
