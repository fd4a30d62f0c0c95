// SPDX-License-Identifier: Apache-2.0
// HitRows: the search hits for the timeline: by position in drawing rows, as a count per lane, and as ticks
// over the whole time range. The positions make it possible to check a pixel with a thousand slices for a hit
// in constant time. Takes one bit per slice, two for tracks with several rows, and one per
// projected range. Computed off the UI thread
// from EventHits. Immutable. Thread: any.
#pragma once

#include "core/search/event_hits.h"
#include "core/timeline/pixel_scale.h"

namespace lockstep {

class HitRows {
  public:
    static constexpr size_t kTicks = 4'096;

    // A row as it is drawn: one depth of a track.
    class Row {
      public:
        Row() = default; // there is no search
        bool isActive() const { return m_bits != nullptr; }
        // first and last are positions in the LodRow, both inclusive.
        bool hasAny(uint32_t first, uint32_t last) const
        {
            return m_bits != nullptr && m_bits->hasAny(m_first + size_t(first), m_first + size_t(last) + 1);
        }

      private:
        friend class HitRows;
        Row(const HitBits* bits, size_t first) : m_bits(bits), m_first(first) {}
        const HitBits* m_bits = nullptr;
        size_t m_first = 0; // bit that belongs to position 0
    };

    // The scene must be drawable. The only possible error is `canceled`. O(tracks + slices on those tracks
    // that have both hits and several rows).
    static Result<std::shared_ptr<const HitRows>>
    make(const ScenePtr& scene, std::shared_ptr<const EventHits> hits, const Progress& progress);

    Row row(ReportKey report, TrackId track, uint16_t depth) const;
    // Returns a row of ReportLod::projections()[projection].
    Row projectionRow(ReportKey report, uint32_t projection, uint16_t depth) const;
    bool has(SliceRef slice) const { return m_hits->isOf(slice.report) && m_hits->has(slice); }
    // Returns the number of hits in a lane and all lanes below it; nullopt for lanes without slices, or if
    // the tree is a different one.
    std::optional<uint64_t> countOf(const LaneTree& tree, uint32_t lane) const;
    // For collapsed lanes: returns, in ascending order, the pixels in which a hit in the lane or a lane below
    // it begins, and the first pixel if a hit is already running there. scales: one per report, on the
    // report's clock. O(tracks * width * log slices).
    std::vector<uint16_t> hitPixelsInSubtree(const Scene& scene, uint32_t lane,
                                             const ByReport<PixelScale>& scales) const;
    uint64_t count() const { return m_hits->count(); }
    // Returns, for each of kTicks equal parts of range(), whether a hit begins in it.
    const std::vector<bool>& ticks() const { return m_ticks; }
    TimeRange range() const { return m_range; } // on the aligned axis

  private:
    struct Part {
        std::vector<uint32_t> firstSlice; // by track
        std::vector<uint32_t> firstDepth; // index in depthBegin by track; none for tracks with one row
        std::vector<uint32_t> depthBegin; // for each depth, the first position in `rows`
        HitBits rows;                     // by position
        // by projection: for each depth, the first position in `projected`
        std::vector<std::vector<uint32_t>> projectionBegin;
        HitBits projected; // by position in the rows of the projections
    };

    void sortRows(const Scene& scene, ReportKey key, const Progress& progress);
    static void sortProjections(const ReportLod& lod, const HitBits& bits, Part& part);
    void countLanes(const Scene& scene);
    void markTrack(const Scene& scene, TrackRef track, const PixelScale& scale,
                   std::vector<bool>& pixels) const;
    void markTicks(const Scene& scene, ReportKey key);

    std::shared_ptr<const EventHits> m_hits;
    std::shared_ptr<const LaneTree> m_tree;
    ByReport<std::shared_ptr<Part>> m_parts;
    std::vector<int64_t> m_counts;                       // number of hits by lane; -1: no slices
    std::vector<uint32_t> m_ends;                        // for each lane, one past the last lane below it
    std::vector<std::pair<uint32_t, TrackRef>> m_tracks; // tracks with hits, sorted by lane in descending
                                                         // order
    std::vector<bool> m_ticks;
    TimeRange m_range;
};

} // namespace lockstep
