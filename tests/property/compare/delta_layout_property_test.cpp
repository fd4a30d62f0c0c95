// SPDX-License-Identifier: Apache-2.0
// Tests the delta lane: each pixel equals a scan of all slices that begin in it, and no slice of the visible
// range is omitted.
#include <rapidcheck.h>

#include "core/compare/difference_strip.h"
#include "core/timeline/pixel_scale.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

SlicePairs someDeltaPairs()
{
    SlicePairs out;
    const int lanes = *rc::gen::inRange(0, 4);
    for (int lane = 0; lane < lanes; ++lane) {
        const size_t first = out.pairs.size();
        int64_t at = *rc::gen::inRange<int64_t>(-50, 50);
        for (int i = *rc::gen::inRange(0, 30); i > 0; --i) {
            SlicePair pair;
            pair.at = {at += *rc::gen::inRange<int64_t>(0, 20)};
            const int kind = *rc::gen::inRange(0, 4);
            if (kind != 0) pair.a = {ReportKey(0u), SliceId(1u)};
            if (kind != 1) pair.b = {ReportKey(0u), SliceId(1u)};
            if (pair.isBoth()) pair.later = {*rc::gen::inRange<int64_t>(-5'000, 5'000)};
            out.pairs.push_back(pair);
        }
        out.lanes.push_back({"lane", first, out.pairs.size() - first});
    }
    return out;
}

void eachPixelSaysWhatBeginsInIt()
{
    const SlicePairs pairs = someDeltaPairs();
    const TraceTime begin{*rc::gen::inRange<int64_t>(-60, 100)};
    const TimeRange visible{begin, begin + Duration{*rc::gen::inRange<int64_t>(1, 400)}};
    const int width = *rc::gen::inRange(1, 300);
    const DifferenceStrip strip = layOutDifference(pairs, visible, width);
    const PixelScale scale(visible, width);
    uint64_t told = 0, there = 0;
    Duration most{};
    for (const DifferenceColumn& column : strip.columns) {
        DifferenceColumn expected;
        expected.x = column.x;
        for (const SlicePair& pair : pairs.pairs) {
            if (!visible.contains(pair.at) || scale.pixelOf(pair.at) != column.x) continue;
            expected.latest = std::max(expected.latest, pair.later);
            expected.earliest = std::min(expected.earliest, pair.later);
            expected.both += pair.isBoth() ? 1 : 0;
            expected.missing += pair.isMissing() ? 1 : 0;
            expected.added += pair.isNew() ? 1 : 0;
        }
        RC_ASSERT(column == expected);
        told += column.both + column.missing + column.added;
        most = std::max({most, column.latest, -column.earliest});
    }
    for (const SlicePair& pair : pairs.pairs)
        there += visible.contains(pair.at) ? 1 : 0;
    RC_ASSERT(told == there);
    RC_ASSERT(strip.scale >= most && (strip.scale.ns == 1 || strip.scale.ns <= most.ns * 5 / 2));
}

} // namespace

class DeltaLayoutPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void pixels() { QVERIFY(rc::check(eachPixelSaysWhatBeginsInIt)); }
};

LOCKSTEP_TEST(DeltaLayoutPropertyTest, "delta_layout_property_test")
#include "delta_layout_property_test.moc"
