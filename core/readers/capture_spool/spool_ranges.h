// SPDX-License-Identifier: Apache-2.0
// SpoolRanges: the NVTX records of a spool become slices: pushes and pops are matched by thread and domain,
// starts and ends by their number. One worker's; finish() when all blocks are read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/readers/capture_spool/spool_carry.h"
#include "core/readers/capture_spool/spool_collectives.h"
#include "core/readers/capture_spool/spool_reading.h"

namespace lockstep {

class SpoolRanges {
  public:
    explicit SpoolRanges(SpoolReading& reading) : m_reading(reading), m_collectives(reading) {}

    // Threads and domains, too: they say whose the records behind them are. False for a kind of another part.
    bool take(const SpoolRecord& record);
    // A block begins: it says thread and domain anew.
    void beginBlock();
    // Ranges that are still open last until end_ns; names of domains, threads and categories are given.
    void finish(int64_t end_ns);

    // For a part of a file. From now on ranges have rows of their own from their beginning on, and what is
    // open at the end is no slice but in `after`.
    void begin(const SpoolCarry& before);
    void finishPart(SpoolCarry& after);
    // Records of all threads are missing from at_ns on: their open ranges are cut there, and what follows is
    // paired only with what follows.
    void breakOff(int64_t at_ns);
    // The same for the current thread alone.
    void breakOffThread(int64_t at_ns);

  private:
    struct OpenRange {
        int64_t start_ns = 0;
        SourceRow source;
        StringId name;
        uint64_t color = 0;
        TrackId track;                        // of the thread that began it
        std::pair<uint64_t, uint64_t> home{}; // that thread and domain
        uint16_t row = kAnyRow;
        bool isCollective = false;          // the communication itself, not the call that enqueues one
        std::optional<int64_t> cut_ns{};    // where an earlier part of the file lacks records
        size_t allGaps = 0, threadGaps = 0; // of all threads and of its own, when it began
    };
    struct Stack {
        TrackId track;
        std::vector<OpenRange> open;
        SourceRow last; // what a payload belongs to
        StringId lastName{0u};
        uint64_t lastNumber = 0;             // where that is a start/end range
        bool isTouched = false;              // in m_touched
        std::multiset<uint16_t> startedRows; // of start/end ranges that are open

        // Below all that is open.
        uint16_t freeRow() const
        {
            const int pushed = open.empty() ? -1 : open.back().row;
            return static_cast<uint16_t>(std::min(
                std::max(pushed, startedRows.empty() ? -1 : int(*startedRows.rbegin())) + 1, kAnyRow - 1));
        }
    };
    struct Counted { // a mark that is a counter's value if its domain is ours
        int64_t time_ns = 0;
        SourceRow source;
        StringId name;
        uint64_t tid = 0, domain = 0;
        double value = 0;
    };

    Stack& current() { return m_current != nullptr ? *m_current : stackOf(m_tid, m_domain); }
    Stack& stackOf(uint64_t tid, uint64_t domain);
    void push(const SpoolRecord& record);
    void pop(int64_t end_ns);
    void end(const SpoolRecord& record);
    void mark(const SpoolRecord& record);
    void start(const SpoolRecord& record);
    void close(const OpenRange& range, int64_t end_ns, RowKind kind, uint8_t flags = 0);
    void closeAll(int64_t end_ns);
    void cutStack(Stack& stack, int64_t at_ns);
    void cutTouched(std::vector<Stack*>& stacks, int64_t at_ns);
    std::optional<int64_t> cutOf(const OpenRange& range) const;
    void touch(uint64_t tid, Stack& stack);
    void nameThings();
    void payload(const SpoolRecord& record);
    void endThread(int64_t end_ns);
    void addCounters();

    SpoolReading& m_reading;
    SpoolCollectives m_collectives;
    uint64_t m_tid = 0;
    uint64_t m_domain = 0;
    Stack* m_current = nullptr;
    std::map<std::pair<uint64_t, uint64_t>, Stack> m_stacks;     // by thread and domain
    std::unordered_map<uint64_t, std::vector<Stack*>> m_touched; // by thread: where ranges may be open
    std::unordered_map<uint64_t, OpenRange> m_started;           // by range number
    std::vector<int64_t> m_allGaps; // where records of all threads are missing, in the file's order
    std::unordered_map<uint64_t, std::vector<int64_t>> m_threadGaps; // where those of one are
    std::map<uint64_t, StringId> m_domains, m_threads;
    std::vector<Counted> m_counted;
    bool m_isPart = false;
};

} // namespace lockstep
