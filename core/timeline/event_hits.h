// SPDX-License-Identifier: Apache-2.0
// EventHits: which slices of a scene's shown reports an EventQuery finds: a bit a slice, and counts. Made off
// the UI thread; read by lists of events, by the lanes that mark hits, and by the search. Immutable, any
// thread; it keeps the reports that it is of.
#pragma once

#include <functional>
#include <memory>

#include "core/base/progress.h"
#include "core/scene/scene.h"
#include "core/timeline/event_matcher.h"
#include "core/timeline/hit_bits.h"

namespace lockstep {

// Every argument the file holds of a slice: core/readers' readSliceDetails(), given by whoever may use it.
// Any thread, several at once.
using ReadArguments = std::function<Result<std::vector<std::pair<std::string, std::string>>>(
    const Report& report, SliceId slice)>;

class EventHits {
  public:
    // invalid: no query, or one that asks for arguments without anyone who reads them; canceled. within: only
    // of these, of the same reports. O(names + slices of the blocks that have the names), on all workers; of
    // arguments O(slices that the rest finds) reads of files, told by progress.
    static Result<std::shared_ptr<const EventHits>> find(const Scene& scene, const EventQuery& query,
                                                         const Progress& progress,
                                                         const EventHits* within = nullptr,
                                                         const ReadArguments& readArguments = {});

    // The first hits by aligned start, as many as are sure after a look at the first slices of each track; at
    // most `most`. What comes later is not looked for: a first answer while find() works. Without arguments.
    static Result<std::shared_ptr<const EventHits>> findFirst(const Scene& scene, const EventQuery& query,
                                                              uint64_t most, const Progress& progress);

    // Those that set() sets, asked once a shown report.
    static std::shared_ptr<const EventHits> of(const Scene& scene,
                                               const std::function<void(ReportKey, HitBits&)>& set);

    uint64_t count() const { return m_count; }
    bool has(SliceRef slice) const { return bitsOf(slice.report).has(slice.slice.value); }
    // By the report's slices. Of a report that it is of.
    const HitBits& bitsOf(ReportKey report) const { return *m_bits[report]; }
    bool isOf(ReportKey report) const { return m_bits.has(report) && m_bits[report] != nullptr; }
    uint32_t countOf(ReportKey report, const Track& track) const;
    // Slices whose arguments could not be read, so that nobody knows whether they are hits; and why the first
    // could not.
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
