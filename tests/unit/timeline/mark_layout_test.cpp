// SPDX-License-Identifier: Apache-2.0
// Tests the row of marks: nothing overlaps, every mark is in one shape, a thousand at once are counted.
#include "core/timeline/mark_layout.h"

#include <QTest>

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr TimeRange kSeen{{0}, {1'000'000}};

struct Placed {
    std::vector<Mark> marks;
    std::vector<TimeRange> ranges;

    void add(int64_t begin, int64_t end, const std::string& text = {})
    {
        Mark mark;
        mark.number = static_cast<int64_t>(marks.size()) + 1;
        mark.kind = begin == end ? MarkKind::time : MarkKind::range;
        mark.text = text;
        marks.push_back(mark);
        ranges.push_back({{begin}, {end}});
    }

    MarkLayout layout(int width = 1000) const
    {
        std::vector<MarkOnAxis> on;
        for (size_t i = 0; i < marks.size(); ++i)
            on.push_back({&marks[i], ranges[i]});
        return layOutMarks(on, PixelScale(kSeen, width), 1, LabelFont::fixed(6));
    }
};

} // namespace

class MarkLayoutTest : public QObject {
    Q_OBJECT

  private slots:
    void aFlagAndARange()
    {
        Placed placed;
        placed.add(100'000, 100'000, "long tail");
        placed.add(500'000, 512'000);
        const MarkLayout layout = placed.layout();
        QCOMPARE(layout.shapes.size(), size_t(2));
        QCOMPARE(layout.shapes[0].begin, 100);
        QCOMPARE(layout.shapes[0].end, 100);
        QCOMPARE(layout.shapes[0].text, std::string("note 1 \u00B7 long tail"));
        QCOMPARE(layout.shapes[1].end, 512);
        QCOMPARE(layout.shapes[1].text, std::string("marker 2 \u00B7 12 \u00B5s"));
        QCOMPARE(layout.shapes[1].number, std::string("2"));
        QVERIFY(layout.at(101)->numbers == std::vector<int64_t>{1});
        QVERIFY(layout.at(505)->numbers == std::vector<int64_t>{2});
        QVERIFY(layout.at(400) == nullptr);
    }

    void aThousandAtOnceAreCounted()
    {
        Placed placed;
        for (int i = 0; i < 1'000; ++i)
            placed.add(300'000 + i, 300'000 + i, "x");
        const MarkLayout layout = placed.layout();
        QCOMPARE(layout.shapes.size(), size_t(1));
        QCOMPARE(layout.shapes[0].number, std::string("+1000"));
        QCOMPARE(layout.shapes[0].numbers.size(), size_t(1'000));
    }

    // For any thousand marks: areas are in ascending order and disjoint, and no visible mark is lost.
    void nothingOverlaps()
    {
        uint32_t seed = 7;
        const auto random = [&seed](uint32_t below) {
            seed = seed * 1664525u + 1013904223u;
            return static_cast<int64_t>((seed >> 8) % below);
        };
        for (const int width : {1, 2, 60, 500, 4'000}) {
            Placed placed;
            for (int i = 0; i < 1'000; ++i) {
                const int64_t begin = random(1'200'000) - 100'000;
                placed.add(begin, begin + random(3) * random(40'000), i % 3 == 0 ? "words" : "");
            }
            const MarkLayout layout = placed.layout(width);
            size_t shown = 0;
            int last = 0;
            for (const MarkShape& shape : layout.shapes) {
                QVERIFY(shape.areaBegin >= last && shape.areaEnd > shape.areaBegin);
                last = shape.areaEnd;
                shown += shape.numbers.size();
            }
            const auto inSight = std::ranges::count_if(
                placed.ranges, [](TimeRange r) { return r.end >= kSeen.begin && r.begin < kSeen.end; });
            QCOMPARE(shown, size_t(inSight));
        }
    }

    void noMarksNoShapes() { QVERIFY(Placed().layout().shapes.empty()); }
};

LOCKSTEP_TEST(MarkLayoutTest, "mark_layout_test")
#include "mark_layout_test.moc"
