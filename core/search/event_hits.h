// SPDX-License-Identifier: Apache-2.0
// EventHits: the slices in a scene's visible reports that match an EventQuery, as one bit per slice plus
// counts. Computed off the UI thread; read by event lists, by lanes that highlight hits, and by the search.
// Keeps its reports alive. Immutable. Thread: any.
#pragma once

#include <functional>
#include <memory>

#include "core/base/progress.h"
#include "core/scene/scene.h"
#include "core/search/event_matcher.h"
#include "core/search/hit_bits.h"

namespace lockstep {

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
