// SPDX-License-Identifier: Apache-2.0
// EventHits: the slices in a scene's visible reports that match an EventQuery, as one bit per slice plus
// counts. Computed off the UI thread; read by event lists, by lanes that highlight hits, and by the search.
// Keeps its reports alive. Immutable. Thread: any.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/progress.h"
#include "core/scene/scene.h"
#include "core/search/event_query.h"

namespace lockstep {

// HitBits: a subset of many rows, as one bit per row plus counts, so that counting the hits before a row
// takes constant time. Takes 1.1 bits per row. Filled by a scan over a table, by several threads at once in
// chunks of kChunk rows; immutable once finished.
class HitBits {
  public:
    // Threads that set rows must not share a chunk.
    static constexpr size_t kChunk = 512;

    HitBits() = default;
    explicit HitBits(size_t rows) : m_rows(rows), m_words((rows + 63) / 64, 0) {}

    void set(size_t row) { m_words[row / 64] |= uint64_t(1) << (row % 64); }
    void clear(size_t row) { m_words[row / 64] &= ~(uint64_t(1) << (row % 64)); }
    // Computes the counts; called once, after the last set() and clear().
    void finish();

    size_t rows() const { return m_rows; }
    bool has(size_t row) const { return (m_words[row / 64] >> (row % 64) & 1) != 0; }
    uint32_t count() const { return m_before.empty() ? 0 : m_before.back(); }
    // Returns the number of hits before this row, which may be rows().
    uint32_t before(size_t row) const
    {
        const size_t word = row / 64;
        uint32_t out = m_before[row / kChunk];
        for (size_t i = row / kChunk * (kChunk / 64); i < word; ++i)
            out += static_cast<uint32_t>(std::popcount(m_words[i]));
        const uint64_t below = (uint64_t(1) << (row % 64)) - 1;
        return row % 64 == 0 ? out : out + static_cast<uint32_t>(std::popcount(m_words[word] & below));
    }
    bool hasAny(size_t first, size_t end) const { return end > first && before(end) > before(first); }
    // Returns the first hit at or after `row` and before `end`, or `end`.
    size_t firstFrom(size_t row, size_t end) const;

  private:
    size_t m_rows = 0;
    std::vector<uint64_t> m_words;
    std::vector<uint32_t> m_before; // number of hits before each chunk; has one more entry than there are
                                    // chunks
};

// Reads all arguments recorded for a slice. Layers that may use core/readers pass readSliceDetails() from
// there. May be called on any thread, and concurrently.
using ReadArguments = std::function<Result<std::vector<std::pair<std::string, std::string>>>(
    const Report& report, SliceId slice)>;

class EventHits {
  public:
    // within: restricts the search to these hits, in the same reports. Cost: O(names + slices in the blocks
    // that contain the names), on all workers. A search for arguments also costs one file read per slice that
    // matches all other conditions; `progress` reports these reads. Errors: `invalid` without a query, or for
    // a query with arguments but no reader for them; `canceled`.
    static Result<std::shared_ptr<const EventHits>> find(const Scene& scene, const EventQuery& query,
                                                         const Progress& progress,
                                                         const EventHits* within = nullptr,
                                                         const ReadArguments& readArguments = {});

    // Returns the earliest hits by aligned start, at most `most`, as far as the first slices of each track
    // determine them. Provides a first result while find() is running. Does not search arguments.
    static Result<std::shared_ptr<const EventHits>> findFirst(const Scene& scene, const EventQuery& query,
                                                              uint64_t most, const Progress& progress);

    // Creates hits that set() defines, which is called once per visible report.
    static std::shared_ptr<const EventHits> of(const Scene& scene,
                                               const std::function<void(ReportKey, HitBits&)>& set);

    uint64_t count() const { return m_count; }
    bool has(SliceRef slice) const { return bitsOf(slice.report).has(slice.slice.value); }
    // Returns the hits by the slices of a report, which must be one of the searched reports.
    const HitBits& bitsOf(ReportKey report) const { return *m_bits[report]; }
    bool isOf(ReportKey report) const { return m_bits.has(report) && m_bits[report] != nullptr; }
    uint32_t countOf(ReportKey report, const Track& track) const;
    // Returns the first error, or the number of slices whose arguments could not be read. Such slices may
    // match.
    uint64_t unreadCount() const { return m_unread; }
    const std::string& unreadReason() const { return m_unreadReason; }

  private:
    struct Job;
    static std::vector<Job> jobsOf(const Scene& scene, const EventMatcher& matcher, EventHits& hits,
                                   const EventHits* within, const Progress& progress);

    Workspace m_workspace;
    ByReport<std::shared_ptr<HitBits>> m_bits;
    uint64_t m_count = 0, m_unread = 0;
    std::string m_unreadReason;
};

} // namespace lockstep
