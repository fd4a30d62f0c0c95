// SPDX-License-Identifier: Apache-2.0
// EventParser: walks one window with simdjson's on-demand parser and hands each event to the rows of the same
// worker. One per worker: its buffers are reused. A window that simdjson refuses is walked event by event,
// from one event head to the next; an event it refuses is repaired; only what then still makes no sense is
// skipped and counted in the rows' bytes. Linear in the window, whatever it holds.
#pragma once

#include <memory>

#include "core/readers/chrome_json/event_rows.h"
#include "core/readers/chrome_json/window_cutter.h"

namespace lockstep {

class EventParser {
  public:
    EventParser(EventRows& rows, const Progress& progress);
    ~EventParser();

    // Leaves the window where it is once progress is canceled.
    void parse(const Window& window);

    // What the events of a whole window are read by: remembered shapes (EventShape) where they fit, tokens
    // (TokenFields) where those do, simdjson's objects (EventFields) otherwise. The rows are the same with
    // fewer of them; tests compare.
    enum class Reading : uint8_t { shapes, tokens, objects };
    void setReading(Reading reading);

  private:
    struct Buffers;

    // How far a walk came: the begin of the last event met, and whether its rows are taken.
    struct Place {
        const char* event;
        bool isHandled;
    };

    bool parseWhole(const Window& window, Place& place);
    bool parseTokens(const Window& window, Place& place, size_t& handled);
    bool parseBehind(const Window& window, Place& place, size_t handled);
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
