// EventParser: walks one window with simdjson's on-demand parser and hands each event to the rows of the same
// worker. One per worker: its buffers are reused. A window that simdjson refuses is walked event by event; an
// event it refuses is repaired; only what then still makes no sense is skipped, with a note.
#pragma once

#include <memory>

#include "core/readers/chrome_json/event_rows.h"
#include "core/readers/chrome_json/window_cutter.h"

namespace lockstep {

class EventParser {
  public:
    explicit EventParser(EventRows& rows);
    ~EventParser();

    void parse(const Window& window);

  private:
    struct Buffers;

    // How far a walk came: the begin of the last event met, and whether its rows are taken.
    struct Place {
        const char* event;
        bool isHandled;
    };

    bool parseWhole(const Window& window, Place& place);
    void parseOneByOne(const Window& window, const char* from);
    bool parseOne(std::string_view text, uint64_t offset);

    EventRows& m_rows;
    std::unique_ptr<Buffers> m_buffers;
};

} // namespace lockstep
