// SPDX-License-Identifier: Apache-2.0
// HitRows: the hits of a search as the timeline shows them: by the positions of drawing rows, so that a pixel
// that stands for a thousand slices knows at once whether one of them is a hit; counted by lane; and as ticks
// over the whole. Made off the UI thread from EventHits, immutable, any thread. A bit a slice, for tracks of
// several rows another.
#pragma once

#include "core/timeline/event_hits.h"
#include "core/timeline/pixel_scale.h"

namespace lockstep {

class HitRows {
  public:
    static constexpr size_t kTicks = 4'096;

    // One drawing row: a depth of a track.
    class Row {
      public:
        Row() = default; // nothing is searched for
        bool isAsked() const { return m_bits != nullptr; }
        // Of positions [first, last] of the LodRow.
        bool hasAny(uint32_t first, uint32_t last) const
        {
            return m_bits != nullptr && m_bits->hasAny(m_first + size_t(first), m_first + size_t(last) + 1);
        }

      private:
        friend class HitRows;
        Row(const HitBits* bits, size_t first) : m_bits(bits), m_first(first) {}
        const HitBits* m_bits = nullptr;
        size_t m_first = 0; // of the bits: position 0
    };

    // The scene is one to be drawn. canceled. O(slices of tracks with hits that have several rows + tracks).
    static Result<std::shared_ptr<const HitRows>>
    make(const ScenePtr& scene, std::shared_ptr<const EventHits> hits, const Progress& progress);

    Row row(ReportKey report, TrackId track, uint16_t depth) const;
    bool has(SliceRef slice) const { return m_hits->isOf(slice.report) && m_hits->has(slice); }
    // Of a lane and all below it; absent for lanes without slices, and in another tree.
    std::optional<uint64_t> countOf(const LaneTree& tree, uint32_t lane) const;
    // Pixels in which a hit of the lane or of one below it begins, and the first where one is under way
    // already, ascending: for lanes that are folded. scales: by report, on their clocks. O(tracks * width *
    // log slices).
    std::vector<uint16_t> pixelsUnder(const Scene& scene, uint32_t lane,
                                      const ByReport<PixelScale>& scales) const;
    uint64_t count() const { return m_hits->count(); }
    // Whether a hit begins in the n-th of kTicks equal parts of range().
    const std::vector<bool>& ticks() const { return m_ticks; }
    TimeRange range() const { return m_range; } // aligned

  private:
    struct Part {
        std::vector<uint32_t> firstSlice; // by track
        std::vector<uint32_t> firstDepth; // by track, into depthBegin; tracks of one row have none
        std::vector<uint32_t> depthBegin; // bits of `rows` where each depth begins
        HitBits rows;                     // by position
    };

    void sortRows(const Scene& scene, ReportKey key, const Progress& progress);
    void countLanes(const Scene& scene);
    void markTrack(const Scene& scene, TrackRef track, const PixelScale& scale,
                   std::vector<bool>& pixels) const;
    void markTicks(const Scene& scene, ReportKey key);

    std::shared_ptr<const EventHits> m_hits;
    std::shared_ptr<const LaneTree> m_tree;
    ByReport<std::shared_ptr<Part>> m_parts;
    std::vector<int64_t> m_counts;                       // by lane; -1: it has no slices
    std::vector<uint32_t> m_ends;                        // by lane: behind the last one below it
    std::vector<std::pair<uint32_t, TrackRef>> m_tracks; // that have hits, by their lanes, from the last up
    std::vector<bool> m_ticks;
    TimeRange m_range;
};

} // namespace lockstep
