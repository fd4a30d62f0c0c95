// SPDX-License-Identifier: Apache-2.0
#include "core/trace/stray_rows.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr int64_t kMinute_ns = 60'000'000'000;
constexpr int64_t kMinClusterGap_ns = 360 * kMinute_ns; // minimum gap between clusters
// minimum distance of a stray from the bulk, in lengths of the bulk
constexpr int64_t kMinStrayDistance = 20;
constexpr uint64_t kFewRows = 8;

struct Cluster {
    int64_t firstMinute = 0;
    int64_t lastMinute = 0;
    uint64_t rows = 0;

    int64_t length_ns() const { return (lastMinute - firstMinute + 1) * kMinute_ns; }
};

int64_t minuteOf(int64_t start_ns)
{
    return start_ns >= 0 ? start_ns / kMinute_ns : -((-start_ns + kMinute_ns - 1) / kMinute_ns);
}

std::vector<Cluster> clustersOf(std::span<const SliceBatch* const> batches)
{
    std::map<int64_t, uint64_t> minutes;
    for (const SliceBatch* const batch : batches) {
        for (const SliceBatch::Rows& rows : batch->byTrack)
            rows.forEach([&](const SliceRow& row) { ++minutes[minuteOf(row.start_ns)]; });
    }
    std::vector<Cluster> clusters;
    for (const auto& [minute, rows] : minutes) {
        if (clusters.empty() || minute - clusters.back().lastMinute > kMinClusterGap_ns / kMinute_ns)
            clusters.push_back({minute, minute, 0});
        clusters.back().lastMinute = minute;
        clusters.back().rows += rows;
    }
    return clusters;
}

bool isFew(uint64_t strays, uint64_t all)
{
    return strays * 10'000 <= all || (strays <= kFewRows && strays * 10 <= all);
}

} // namespace

std::optional<TimeRange> plausibleStarts(std::span<const SliceBatch* const> batches, const TimeRange& session)
{
    StartExtent extent;
    for (const SliceBatch* const batch : batches)
        extent.add(batch->starts);
    if (extent.isEmpty() || extent.greatest_ns - extent.least_ns <= kMinClusterGap_ns) return std::nullopt;
    const std::vector<Cluster> clusters = clustersOf(batches);
    if (clusters.size() < 2) return std::nullopt;
    const Cluster bulk = *std::ranges::max_element(clusters, {}, &Cluster::rows);
    uint64_t all = 0;
    for (const Cluster& cluster : clusters)
        all += cluster.rows;
    if (!isFew(all - bulk.rows, all)) return std::nullopt;
    // Clusters near the bulk are kept and widen the range.
    TimeRange plausible{{bulk.firstMinute * kMinute_ns}, {(bulk.lastMinute + 1) * kMinute_ns}};
    bool hasStrays = false;
    for (const Cluster& cluster : clusters) {
        const int64_t distance_ns = std::max((bulk.firstMinute - cluster.lastMinute) * kMinute_ns,
                                             (cluster.firstMinute - bulk.lastMinute) * kMinute_ns);
        if (distance_ns / kMinStrayDistance > bulk.length_ns()) {
            hasStrays = true;
            continue;
        }
        plausible.begin.ns = std::min(plausible.begin.ns, cluster.firstMinute * kMinute_ns);
        plausible.end.ns = std::max(plausible.end.ns, (cluster.lastMinute + 1) * kMinute_ns);
    }
    if (!hasStrays) return std::nullopt;
    return session.overlaps(plausible) ? plausible.unitedWith(session) : plausible;
}

void separateStrayRows(std::span<SliceBatch* const> batches, const TimeRange& plausible,
                       const std::function<TrackId(TrackId)>& trackOf, ImportNotes& notes)
{
    uint64_t count = 0;
    int64_t farthest_ns = 0;
    const auto isStray = [&](const SliceRow& row) { return !plausible.contains(TraceTime{row.start_ns}); };
    for (SliceBatch* const batch : batches) {
        std::vector<std::pair<TrackId, SliceRow>> strays;
        for (size_t track = 0; track < batch->byTrack.size(); ++track) {
            SliceBatch::Rows& rows = batch->byTrack[track];
            const size_t before = strays.size();
            rows.forEach([&](SliceRow row) {
                if (!isStray(row)) return;
                farthest_ns = std::max(
                    {farthest_ns, plausible.begin.ns - row.start_ns, row.start_ns - plausible.end.ns});
                row.kind = RowKind::diagnostic;
                row.category = SliceCategory::other;
                row.correlation = kNoCorrelation;
                strays.emplace_back(trackOf(TrackId(static_cast<uint32_t>(track))), row);
            });
            if (strays.size() == before) continue;
            SliceBatch::Rows kept;
            rows.forEach([&](const SliceRow& row) {
                if (!isStray(row)) kept.add(row);
            });
            rows = std::move(kept);
        }
        for (const auto& [track, row] : strays)
            batch->add(track, row);
        count += strays.size();
    }
    if (count == 0) return;
    notes.add("rows.far_away", NoteSeverity::dataLoss,
              "rows with timestamps hours away from all others: damaged, or from another clock. They have a "
              "separate lane and are not included in tables; select one to view it",
              "up to " + durationText({farthest_ns}) + " away", count);
}

size_t cutImpossibleDurations(std::span<const int64_t> start_ns, std::span<int64_t> duration_ns,
                              std::span<const RowKind> kind, std::span<uint8_t> flags, size_t& first)
{
    constexpr int64_t kMinOverlap_ns = 10'000'000;
    std::vector<size_t> suspects;
    size_t kernels = 0, previous = start_ns.size();
    for (size_t i = 0; i < start_ns.size(); ++i) {
        if (kind[i] != RowKind::kernel) continue;
        ++kernels;
        const bool overlaps =
            previous < i && start_ns[previous] + duration_ns[previous] - start_ns[i] > kMinOverlap_ns;
        if (overlaps) suspects.push_back(previous);
        // if there are too many, this is normal for the stream or format
        if (suspects.size() * 100 > start_ns.size()) return 0;
        previous = i;
    }
    if (suspects.empty() || suspects.size() * 100 > kernels) return 0;
    std::vector<int64_t> lengths;
    for (size_t i = 0; i < start_ns.size(); ++i) {
        if (kind[i] == RowKind::kernel) lengths.push_back(duration_ns[i]);
    }
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::ranges::nth_element(lengths, middle);
    size_t cut = 0;
    for (const size_t i : suspects) {
        if (duration_ns[i] / 1000 < *middle) continue;
        size_t next = i + 1;
        while (kind[next] != RowKind::kernel)
            ++next;
        duration_ns[i] = start_ns[next] - start_ns[i];
        flags[i] |= sliceFlag::kRepaired;
        first = i;
        ++cut;
    }
    return cut;
}

} // namespace lockstep
