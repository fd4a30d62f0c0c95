// SPDX-License-Identifier: Apache-2.0
// SpoolRanges turns the NVTX records of a capture into slices: pushes and pops are matched by thread and
// domain, starts and ends by range ID. One worker; call finish() after all blocks.
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

    // Handles a record. Thread and domain records are handled too; they apply to the records that follow.
    // Returns false if another class handles records of this kind.
    bool take(const SpoolRecord& record);
    // Starts a block. Each block sets thread and domain again.
    void beginBlock();
    // Extends open ranges to end_ns, and sets the names of domains, threads and categories.
    void finish(int64_t end_ns);

    // For one part of a file: from now on, ranges get fixed rows. Ranges that are open at the end of the part
    // are stored in `after` instead of becoming slices.
    void begin(const SpoolCarry& before);
    void finishPart(SpoolCarry& after);
    // Handles the loss of records of all threads at at_ns: open ranges are cut there, and later records are
    // paired only with each other.
    void cutAll(int64_t at_ns);
    // Like cutAll(), but for the current thread only.
    void cutThread(int64_t at_ns);

  private:
    struct OpenRange {
        int64_t start_ns = 0;
        SourceRow source;
        StringId name;
        uint64_t color = 0;
        TrackId track;                        // track of the thread that started the range
        std::pair<uint64_t, uint64_t> home{}; // thread and domain of the range
        uint16_t row = kAnyRow;
        // true for the communication itself, as opposed to the call that enqueues it
        bool isCollective = false;
        // Time in an earlier part of the file from which records are missing.
        std::optional<int64_t> cut_ns{};
        // number of gaps of all threads, and of its own thread, when the range started
        size_t allGaps = 0, threadGaps = 0;
    };
    struct Stack {
        TrackId track;
        std::vector<OpenRange> open;
        SourceRow last; // the range to which the next payload belongs
        StringId lastName{0u};
        uint64_t lastNumber = 0;             // ID of that range if it is a start/end range
        bool isTouched = false;              // true if the stack is in m_touched
        std::multiset<uint16_t> startedRows; // rows of open start/end ranges

        // Returns the first row that is below all open ranges.
        uint16_t freeRow() const
        {
            const int pushed = open.empty() ? -1 : open.back().row;
            return static_cast<uint16_t>(std::min(
                std::max(pushed, startedRows.empty() ? -1 : int(*startedRows.rbegin())) + 1, kAnyRow - 1));
        }
    };
    struct Counted { // A mark. It is a counter value if its domain is Lockstep's own domain.
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
    void applyNames();
    void payload(const SpoolRecord& record);
    void endThread(int64_t end_ns);
    void addCounters();

    SpoolReading& m_reading;
    SpoolCollectives m_collectives;
    uint64_t m_tid = 0;
    uint64_t m_domain = 0;
    Stack* m_current = nullptr;
    std::map<std::pair<uint64_t, uint64_t>, Stack> m_stacks; // by thread and domain
    // by thread: stacks that may have open ranges
    std::unordered_map<uint64_t, std::vector<Stack*>> m_touched;
    std::unordered_map<uint64_t, OpenRange> m_started; // by range ID
    std::vector<int64_t> m_allGaps; // times at which records of all threads are missing, in file order
    // By thread: times at which only records of that thread are missing.
    std::unordered_map<uint64_t, std::vector<int64_t>> m_threadGaps;
    std::map<uint64_t, StringId> m_domains, m_threads;
    std::vector<Counted> m_counted;
    bool m_isPart = false;
};

} // namespace lockstep
