// SPDX-License-Identifier: Apache-2.0
// EventParser parses one window and passes each event to the rows of the same worker. One per worker: its
// buffers are reused. Events that EventReader rejects, and all events after one in the same window, are
// parsed event by event, from one event start to the next; a rejected event is repaired. Text that is still
// invalid is skipped and counted as lost. Takes time linear in the size of the window.
#pragma once

#include <memory>

#include "core/readers/chrome_json/event_rows.h"
#include "core/readers/chrome_json/window_cutter.h"

namespace lockstep {

class EventParser {
  public:
    EventParser(EventRows& rows, const Progress& progress);
    ~EventParser();

    // Stops within the window once progress is canceled.
    void parse(const Window& window);

  private:
    struct Buffers;

    const char* parseValid(const Window& window);
    void noteNotObject(uint64_t offset);
    void parseOneByOne(const Window& window, const char* from);
    size_t parseSection(std::string_view section, uint64_t offset);
    bool parseOne(std::string_view text, uint64_t offset);
    bool parseSingle(std::string& text, uint64_t offset);
    bool parseRepaired(std::string_view text, uint64_t offset);

    EventRows& m_rows;
    const Progress& m_progress;
    std::unique_ptr<Buffers> m_buffers;
};

} // namespace lockstep
