// SPDX-License-Identifier: Apache-2.0
// ClockWatch is the supervisor's side of the clock exchange. It opens the exchange if the plan requests one.
// Once the launcher has written the peers to the run folder, it passes them to the exchange. It writes the
// exchange's findings to the event log. Used on the supervisor's thread.
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
    // isRequested: whether the plan requests the exchange. If false, no socket and no thread are created.
    ClockWatch(const RunFolder& folder, bool isRequested, EventLog& log);

    // Starts listening. Records an event with the address, or with the reason if no port is available. Call
    // this function after recording that the run has started.
    void begin();
    // Writes new findings to the event log; call it about once per second. hasRoom: whether the disk has
    // space. If false, rounds are counted instead of written.
    void writeFindings(bool hasRoom);
    // Writes the last findings and removes the peers file.
    void end();

  private:
    void readPeers();
    void reportDropped(const ClockFindings& found);
    std::string nameOf(uint32_t number) const;

    const RunFolder& m_folder;
    const bool m_isRequested;
    EventLog& m_log;
    std::unique_ptr<ClockExchange> m_exchange;
    std::string m_peersText; // content of the file when it was last read
    std::map<uint32_t, std::string> m_names;
    uint64_t m_reportedDropped = 0, m_unwritten = 0;
    int64_t m_nextDropped_ns = 0;
};

} // namespace lockstep::agent
