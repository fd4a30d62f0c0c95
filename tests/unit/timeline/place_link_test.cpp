// SPDX-License-Identifier: Apache-2.0
// Tests links: they lead to the same moments elsewhere, name missing reports, and are refused if truncated.
#include "core/timeline/place_link.h"

#include <QTest>

#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class PlaceLinkTest : public QObject {
    Q_OBJECT

  private slots:
    void roundTripsThroughText()
    {
        const Workspace workspace = test::madeWorkspace(2, 1);
        const ScenePtr scene = test::madeScene(workspace);
        const SliceRef slice{workspace.keys()[1], SliceId(50u)};
        const PlaceLink link = placeLinkOf(*scene, {{1'000}, {9'000}}, slice, {}, "stream 7");
        const std::string text = linkText(link);
        QVERIFY(isLink(text) && text.find_first_of(" \"<>&?#") == text.npos);
        const auto read = parseLink(text);
        QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
        QVERIFY(*read == link);
        // Broken into lines as mail does.
        QVERIFY(parseLink("  " + text.substr(0, 70) + "\r\n " + text.substr(70) + "\n").has_value());
    }

    void linksToTheSameMomentsOnAnotherAxis()
    {
        const Workspace workspace = test::madeWorkspace(2, 1);
        const ScenePtr scene = test::madeScene(workspace);
        const SliceRef slice{workspace.keys()[1], SliceId(50u)};
        const PlaceLink link = placeLinkOf(*scene, {{1'000}, {9'000}}, slice, {}, {});
        AlignOptions moved;
        moved.shifts_ns = {{workspace.keys()[1], 5'000'000}};
        const ScenePtr other = makeScene(workspace, alignReports(workspace, moved), {});
        const auto place = resolvePlaceLink(link, *other);
        QVERIFY(place.has_value());
        QVERIFY(place->visible == (TimeRange{{5'001'000}, {5'009'000}}));
        QVERIFY(place->slice == slice);
        QVERIFY(place->missing.empty());
    }

    void namesTheReportsThatAreNotOpen()
    {
        const Workspace workspace = test::madeWorkspace(2, 1);
        const PlaceLink link = placeLinkOf(*test::madeScene(workspace), {{1'000}, {9'000}}, {}, {}, {});
        Workspace first;
        first.add(workspace.shared(workspace.keys()[0]));
        const auto place = resolvePlaceLink(link, *test::madeScene(first));
        QVERIFY(place.has_value());
        QCOMPARE(place->missing.size(), workspace.size() - 1);
        Workspace others;
        others.add(test::madeRank({.host = "elsewhere", .rank = 99}));
        const auto nowhere = resolvePlaceLink(link, *test::madeScene(others));
        QVERIFY(!nowhere && nowhere.error().kind == ErrorKind::notFound);
    }

    void aThousandReportsAreCounted()
    {
        Workspace many;
        for (int i = 0; i < 1'000; ++i)
            many.add(test::madeRank({.rank = i % 4, .steps = 1}));
        const ScenePtr scene = makeHeadlessScene(many, alignReports(many, {}));
        const PlaceLink link = placeLinkOf(*scene, {{1'000}, {9'000}}, {}, {}, {});
        QCOMPARE(link.reports.size(), kMaxLinkReports);
        QCOMPARE(link.omittedReports, uint64_t(1'000 - kMaxLinkReports));
        QVERIFY(*parseLink(linkText(link)) == link);
    }

    void shortLinksFitInAMessage()
    {
        Workspace many;
        for (int i = 0; i < 1'000; ++i)
            many.add(test::madeRank({.rank = i, .steps = 1}));
        const ScenePtr scene = makeHeadlessScene(many, alignReports(many, {}));
        const SliceRef slice{many.keys()[1], SliceId(5u)};
        const std::string text = shortLinkText(placeLinkOf(*scene, {{1'000}, {9'000}}, slice, {}, {}));
        QVERIFY2(text.size() < 1'000, std::to_string(text.size()).c_str());
        const auto place = resolvePlaceLink(*parseLink(text), *scene);
        QVERIFY(place.has_value() && place->missing.empty());
        QCOMPARE(place->slice, slice);
        Workspace fewer;
        for (int i = 0; i < 8; ++i)
            fewer.add(many.shared(many.keys()[static_cast<size_t>(i)]));
        const auto elsewhere = resolvePlaceLink(*parseLink(text), *test::madeScene(fewer));
        QVERIFY(elsewhere.has_value());
        QCOMPARE(elsewhere->missing,
                 (std::vector<std::string>{
                     "the reports shown here (8) are not the same as those of the link (1,000)"}));
    }

    // Any change and any truncation is detected, or leads to the same link; nothing crashes.
    void damagedLinksAreRefused()
    {
        const ScenePtr scene = test::madeScene(test::madeWorkspace(1, 1));
        const std::string text = linkText(placeLinkOf(*scene, {{1'000}, {9'000}}, {}, {}, {}));
        for (size_t length = 0; length < text.size(); length += 7)
            QVERIFY(!parseLink(text.substr(0, length)));
        for (size_t at = kLinkScheme.size(); at < text.size(); at += 5) {
            std::string changed = text;
            changed[at] = changed[at] == 'A' ? 'B' : 'A';
            QVERIFY(!parseLink(changed));
        }
        for (const char* const other :
             {"", "lockstep:", "lockstep:AAAA", "http://x", "lockstep:\xff\xff\xff\xff\xff"})
            QVERIFY(!parseLink(other));
    }
};

LOCKSTEP_TEST(PlaceLinkTest, "place_link_test")
#include "place_link_test.moc"
