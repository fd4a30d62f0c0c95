// SPDX-License-Identifier: Apache-2.0
// SampleLines: the shapes of a lane of samples: one line per sample with its parts, weight updates as bands,
// and outlines of selected spans. Used only by sample_lane.cpp. Pure.
#pragma once

#include "core/lanes/sample_lanes.h"
#include "core/samples/tail.h"
#include "core/timeline/lane_kind.h"

namespace lockstep {

struct SamplePiece {
    int begin = 0, end = 0; // in pixels from the first time pixel; empty if it is not visible
    SliceId slice;
};

// A line of a sample lane, and what it shows; later pieces are drawn over earlier ones.
struct SampleLine {
    int top = 0, bottom = 0; // in pixels from the row's top
    size_t sample = 0;       // index in SampleLaneData::samples: the last of the samples in this line
    size_t count = 0;        // samples in this line
    SamplePiece whole;       // the sample, below its parts
    size_t firstPiece = 0, pieceCount = 0;
    ReportKey report; // of the sample
};

// A weight update, of any report.
struct UpdateBand {
    int begin = 0, end = 0; // in pixels from the first time pixel
    SliceRef slice;
};

// A part of the sample of a line, on the clock of its report.
struct LineSpan {
    TimeRange range;
    SliceId slice;
    SamplePart part = SamplePart::other;
};

struct SampleRowData {
    std::vector<UpdateBand> bands;
    std::vector<SampleLine> lines;
    std::vector<SamplePiece> pieces;
    // By line, in drawing order. The spans of a sample are far apart in the tables of the report, so they are
    // kept from frame to frame, for the same lane and height.
    std::vector<std::vector<LineSpan>> spans;
    const void* spansOf = nullptr; // DisplayRow::contentKey
};

Ink partInk(SamplePart part);
// Returns whether a lane shows the weight updates of a report: of its own, and of those with an aligned
// clock.
bool showsUpdatesOf(const Scene& scene, const Lane& lane, ReportKey report);
// Fills the row and its SampleRowData. The row's content key must identify the lane.
void fillSampleLines(const LaneFrame& frame, const Lane& lane, DisplayRow& row);
// See LaneKind::outline().
void outlineInSampleLines(const Scene& scene, const DisplayRow& row, SliceRef selected,
                          std::span<const SliceRef> others, DisplayList& list);

} // namespace lockstep
