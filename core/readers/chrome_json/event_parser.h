// SPDX-License-Identifier: Apache-2.0
// EventParser parses one window with simdjson's on-demand parser and passes each event to the rows of the
// same worker. One per worker: its buffers are reused. A window that simdjson rejects is parsed event by
// event, from one event head to the next; a rejected event is repaired. Text that is still invalid is skipped
// and counted as lost. Takes time linear in the size of the window.
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

    // The methods for reading events. `shapes` uses remembered shapes (EventShape) if they match, then tokens
    // (TokenFields) if they apply, otherwise simdjson's objects (EventFields). The other values omit the
    // earlier methods. The resulting rows are always the same; tests compare them.
    enum class Reading : uint8_t { shapes, tokens, objects };
    void setReading(Reading reading);

  private:
    struct Buffers;

    // Progress of a pass: the start of the last event, and whether its rows were added.
    struct Place {
        const char* event;
        bool isHandled;
    };

    bool parseWhole(const Window& window, Place& place);
    bool parseTokens(const Window& window, Place& place, size_t& handled);
    bool parseRemaining(const Window& window, Place& place, size_t handled);
    void parseOneByOne(const Window& window, const char* from);
    size_t parsePiece(std::string_view piece, uint64_t offset);
    bool parseOne(std::string_view text, uint64_t offset);
    bool parsePadded(std::string& text, uint64_t offset);
    bool parseRepaired(std::string_view text, uint64_t offset);

    EventRows& m_rows;
    const Progress& m_progress;
    std::unique_ptr<Buffers> m_buffers;
    Reading m_reading = Reading::shapes;
};

} // namespace lockstep
