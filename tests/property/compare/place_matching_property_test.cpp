// SPDX-License-Identifier: Apache-2.0
// Tests the matching of slices of a name that occurs more often in one pane than in the other: it is the
// nearest of all that keep the order, as an exhaustive search confirms. A position axis goes through its
// anchors and never reverses.
#include <rapidcheck.h>

#include "core/compare/coupling.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

std::vector<TraceTime> somePlaces(int least, int most)
{
    std::vector<TraceTime> out;
    const int count = *rc::gen::inRange(least, most);
    for (int i = 0; i < count; ++i)
        out.push_back({*rc::gen::inRange<int64_t>(0, 60)});
    std::ranges::sort(out);
    return out;
}

int64_t leastByTrying(const std::vector<TraceTime>& longer, const std::vector<TraceTime>& shorter, size_t i,
                      size_t j)
{
    if (j == shorter.size()) return 0;
    if (longer.size() - i < shorter.size() - j) return 1'000'000;
    const int64_t taken =
        std::abs((longer[i] - shorter[j]).ns) + leastByTrying(longer, shorter, i + 1, j + 1);
    return std::min(taken, leastByTrying(longer, shorter, i + 1, j));
}

void nearestOfAllOrders()
{
    const std::vector<TraceTime> longer = somePlaces(0, 9);
    std::vector<TraceTime> shorter = somePlaces(0, 6);
    shorter.resize(std::min(shorter.size(), longer.size()));
    const auto partners = pairByPosition(longer, shorter);
    RC_ASSERT(partners.size() == longer.size());
    int64_t distance = 0;
    uint32_t next = 0;
    for (size_t i = 0; i < longer.size(); ++i) {
        if (!partners[i]) continue;
        RC_ASSERT(*partners[i] == next++); // all slices of the shorter list, in order
        distance += std::abs((longer[i] - shorter[*partners[i]]).ns);
    }
    RC_ASSERT(next == shorter.size());
    RC_ASSERT(distance == leastByTrying(longer, shorter, 0, 0));
}

void theOneThatIsMissingIsFound()
{
    std::vector<TraceTime> longer;
    int64_t at = 0;
    const int count = *rc::gen::inRange(2, 30);
    for (int i = 0; i < count; ++i)
        longer.push_back({at += *rc::gen::inRange<int64_t>(100, 400)});
    const auto gone = static_cast<size_t>(*rc::gen::inRange(0, count));
    std::vector<TraceTime> shorter;
    for (size_t i = 0; i < longer.size(); ++i)
        if (i != gone) shorter.push_back(longer[i] + Duration{*rc::gen::inRange<int64_t>(-40, 40)});
    const auto partners = pairByPosition(longer, shorter);
    for (size_t i = 0; i < longer.size(); ++i)
        RC_ASSERT(partners[i].has_value() == (i != gone));
}

void axisMeetsItsAnchors()
{
    std::vector<CouplingKnot> anchors;
    TraceTime a{0}, b{1'000};
    const int count = *rc::gen::inRange(0, 8);
    for (int i = 0; i < count; ++i) {
        a = a + Duration{*rc::gen::inRange<int64_t>(1, 50)};
        b = b + Duration{*rc::gen::inRange<int64_t>(1, 90)};
        anchors.push_back({a, b});
    }
    const ProportionalCoupling axis(anchors, {1'000});
    for (const CouplingKnot& anchor : anchors)
        RC_ASSERT(axis.toB(anchor.a) == anchor.b);
    for (int64_t t = -20; t < 420; ++t)
        RC_ASSERT(axis.toB({t}) <= axis.toB({t + 1}));
    if (anchors.empty()) RC_ASSERT(axis.toB({7}) == TraceTime{1'007});
}

} // namespace

class PlaceMatchingPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void nearest() { QVERIFY(rc::check(nearestOfAllOrders)); }
    void missing() { QVERIFY(rc::check(theOneThatIsMissingIsFound)); }
    void axis() { QVERIFY(rc::check(axisMeetsItsAnchors)); }
};

LOCKSTEP_TEST(PlaceMatchingPropertyTest, "place_matching_property_test")
#include "place_matching_property_test.moc"
