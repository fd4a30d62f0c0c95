// SPDX-License-Identifier: Apache-2.0
// Tests reported distances: exact on one clock, with an error bound across clocks, undecided below it.
#include "core/timeline/measure.h"

#include "core/align/alignment_report.h"
#include "core/align/collective_fit.h"
#include "core/align/collective_peers.h"
#include "tests/support/synthetic_clocks.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

AlignOptions inMode(AlignMode mode)
{
    AlignOptions options;
    options.mode = mode;
    return options;
}

} // namespace

class MeasureTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase()
    {
        SyntheticOptions options;
        options.hosts = 2;
        options.ranksPerHost = 2;
        options.steps = 8;
        m_made = makeSyntheticClocks(options);
        m_alignment = alignReports(m_made.workspace, {});
    }

    void oneClockIsExact()
    {
        const Measure measure = measureBetween(m_alignment, ReportKey(1u), ReportKey(1u), {12'300});
        QCOMPARE(measure.text, std::string("12.3 \u00B5s"));
        QVERIFY(measure.isDecided());
        QVERIFY(measureBetween(m_alignment, ReportKey(1u), ReportKey(1u), {0}).isDecided());
    }

    void errorsAreRoundedUp()
    {
        QCOMPARE(errorText(310'236), std::string("311 \u00B5s"));
        QCOMPARE(errorText(20'000), std::string("20 \u00B5s"));
        QCOMPARE(errorText(999'001), std::string("1 ms"));
        QCOMPARE(errorText(7), std::string("7 ns"));
    }

    void theAxisItselfIsExact()
    {
        QCOMPARE(measureBetween(m_alignment, {}, ReportKey(2u), {12'300}).text, std::string("12.3 \u00B5s"));
    }

    void twoClocksHaveAnError()
    {
        const PairError error = m_alignment.errorBetween(ReportKey(0u), ReportKey(2u));
        QVERIFY(error.likely_ns && error.guaranteed_ns);
        const Measure wide = measureBetween(m_alignment, ReportKey(0u), ReportKey(2u), {5'000'000});
        QVERIFY2(wide.text.starts_with("5 ms \u00B1 ") || wide.text.starts_with("5.00 ms \u00B1 "),
                 wide.text.c_str());
        QVERIFY(wide.isDecided());
        const Measure narrow =
            measureBetween(m_alignment, ReportKey(0u), ReportKey(2u), {*error.guaranteed_ns - 1});
        QVERIFY(!narrow.isDecided());
        QVERIFY2(narrow.why.ends_with("order unknown"), narrow.why.c_str());
        QVERIFY(measureBetween(m_alignment, ReportKey(0u), ReportKey(2u), {*error.guaranteed_ns + 1})
                    .isDecided());
    }

    void unalignedClocks()
    {
        const Alignment wall = alignReports(m_made.workspace, inMode(AlignMode::wallclock));
        const Measure measure = measureBetween(wall, ReportKey(0u), ReportKey(2u), {5'000'000});
        QVERIFY2(measure.text.ends_with("\u00B1 ?"), measure.text.c_str());
        QVERIFY(!measure.isDecided());
    }

    // A click on a kernel finds its counterparts on the other ranks, and the last to arrive.
    void peersOfACollective()
    {
        const CollectiveMatches& matches = m_alignment.collectives->matches;
        const MatchedCollective& match = matches.collectives[matches.collectives.size() / 2];
        const MatchedPart part = matches.parts[match.firstPart + 1];
        const SliceRef slice{matches.ranks[part.rank].report, matches.at(part).slice};
        const CollectivePeers peers = peersOf(m_made.workspace, m_alignment, slice);
        QCOMPARE(peers.parts.size(), size_t(match.partCount));
        QVERIFY(std::ranges::find(peers.parts, slice) != peers.parts.end());
        const auto startOf = [&](SliceRef ref) {
            return m_alignment.map(ref.report)
                .alignedFromTrace(m_made.workspace.report(ref.report).slices.start(ref.slice));
        };
        QVERIFY(std::ranges::all_of(peers.parts,
                                    [&](SliceRef ref) { return startOf(ref) <= startOf(peers.cause); }));
    }

    // Reports that are not shown are excluded.
    void peersAmongShownReports()
    {
        const CollectiveMatches& matches = m_alignment.collectives->matches;
        const MatchedCollective& match = matches.collectives[matches.collectives.size() / 2];
        Workspace shown;
        for (const ReportKey key : {ReportKey(1u), ReportKey(3u)})
            shown.add(key, m_made.workspace.shared(key), m_made.workspace.sharedIdentity(key));
        for (uint32_t i = 0; i < match.partCount; ++i) {
            const MatchedPart part = matches.parts[match.firstPart + i];
            if (matches.ranks[part.rank].report != ReportKey(3u)) continue;
            const CollectivePeers peers =
                peersOf(shown, m_alignment, {ReportKey(3u), matches.at(part).slice});
            QCOMPARE(peers.parts.size(), size_t(2));
            QCOMPARE(peers.parts[0].report, ReportKey(1u));
            return;
        }
        QFAIL("the collective has no part in the last report");
    }

    void acceptedClocksStay()
    {
        AlignOptions options;
        options.mode = AlignMode::wallclock;
        options.accepted[ReportKey(2u)] = {m_alignment.map(ReportKey(2u)), m_alignment.utcAtZero_ns};
        const Alignment accepted = alignReports(m_made.workspace, options);
        QCOMPARE(accepted.map(ReportKey(2u)).offset_ns - m_alignment.map(ReportKey(2u)).offset_ns,
                 *m_alignment.utcAtZero_ns - *accepted.utcAtZero_ns);
        QCOMPARE(accepted.map(ReportKey(2u)).drift_ppb, m_alignment.map(ReportKey(2u)).drift_ppb);
        QVERIFY(accepted.map(ReportKey(2u)).reason.starts_with("accepted earlier: "));
        options.accepted[ReportKey(2u)].map.reason =
            "kept as accepted: x"; // in workspaces of earlier versions
        QCOMPARE(alignReports(m_made.workspace, options).map(ReportKey(2u)).reason,
                 std::string("accepted earlier: x"));
        options.mode = AlignMode::zero; // no common clock there
        QCOMPARE(alignReports(m_made.workspace, options).map(ReportKey(2u)).method, AlignMethod::zero);
    }

  private:
    SyntheticClocks m_made;
    Alignment m_alignment;
};

LOCKSTEP_TEST(MeasureTest, "measure_test")
#include "measure_test.moc"
