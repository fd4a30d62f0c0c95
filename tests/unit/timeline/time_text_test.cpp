// SPDX-License-Identifier: Apache-2.0
// Tests times as people write them: every notation, refused texts, and their position in a scene.
#include "core/timeline/time_text.h"

#include <QTest>

#include "core/base/text.h"
#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

using From = TimeQuery::From;

ScenePtr two()
{
    return test::madeScene(test::madeWorkspace(1, 2));
}

} // namespace

class TimeTextTest : public QObject {
    Q_OBJECT

  private slots:
    void everyNotation_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("from");
        QTest::addColumn<qint64>("value");
        QTest::addColumn<QString>("report");
        const auto row = [](const char* text, From from, qint64 value, const char* report = "") {
            QTest::newRow(text) << QString(text) << static_cast<int>(from) << value << QString(report);
        };
        row("1.204 118 402 s", From::axis, 1'204'118'402);
        row("1.204\u2009118\u2009402\u2009s", From::axis, 1'204'118'402);
        row("38 ms", From::axis, 38'000'000);
        row("4.1 \u00B5s", From::axis, 4'100);
        row("12,345.5 s", From::axis, 12'345'500'000'000);
        row("3 h 25 min 45.6 s", From::axis, 12'345'600'000'000);
        row("1,499 d 2 h", From::axis, 129'520'800'000'000'000);
        row("+2h", From::here, 7'200'000'000'000);
        row("1204118402", From::axis, 1'204'118'402);
        row("1 204 118 402 ns", From::axis, 1'204'118'402);
        row("+38ms", From::here, 38'000'000);
        row("-2 us", From::here, -2'000);
        row("\u22122 us", From::here, -2'000);
        row("12:04:31.204", From::utcOfDay, ((12 * 60 + 4) * 60 + 31) * qint64(1'000'000'000) + 204'000'000);
        row("12:04", From::utcOfDay, (12 * 60 + 4) * 60 * qint64(1'000'000'000));
        row("2026-11-20T12:04:31Z", From::utc, 1'795'176'271'000'000'000);
        row("2026-11-20 14:04:31.5+02:00", From::utc, 1'795'176'271'500'000'000);
        row("@r3 123456789", From::report, 123'456'789, "r3");
        row("@rank3.sqlite 5 ms", From::report, 5'000'000, "rank3.sqlite");
        row("step 3", From::step, 3);
        row("Mark 2", From::mark, 2);
        row("marker 2", From::mark, 2);
        row("note 2", From::mark, 2);
        row("50%", From::part, 500'000'000);
        row("33.3 %", From::part, 333'000'000);
    }

    void everyNotation()
    {
        QFETCH(QString, text);
        const auto asked = parseTimeText(text.toStdString());
        QVERIFY2(asked.has_value(), asked ? "" : asked.error().message.c_str());
        QTEST(static_cast<int>(asked->from), "from");
        QTEST(static_cast<qint64>(asked->value), "value");
        QTEST(QString::fromStdString(asked->report), "report");
    }

    void invalidTextIsRefused_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* const text : {"",
                                       " ",
                                       "s",
                                       "1 2 s",
                                       "1,20 s",
                                       "1 h -2 s",
                                       "1 h 30",
                                       "2h30",
                                       "--2 s",
                                       "1 horse",
                                       "100001 d",
                                       "12:61",
                                       "25:00:00",
                                       "1.2.3 s",
                                       "@r3",
                                       "@ 5",
                                       "@r3 x",
                                       "step",
                                       "step x",
                                       "mark -1",
                                       "101%",
                                       "-1%",
                                       "%",
                                       "2026-02-30T00:00:00Z",
                                       "2026-11-20T",
                                       "99999999999999999999",
                                       "9223372036854775807 s",
                                       "1e3 s s",
                                       "\xff\xfe",
                                       "12:",
                                       ":",
                                       "+",
                                       "-",
                                       "@"})
            QTest::newRow(text) << QString::fromLatin1(text);
        QTest::newRow("long") << QString(100'000, '1');
    }

    void invalidTextIsRefused()
    {
        QFETCH(QString, text);
        const auto asked = parseTimeText(text.toStdString());
        QVERIFY(!asked.has_value());
        QVERIFY(asked.error().kind == ErrorKind::invalid);
        QVERIFY(asked.error().message.size() < 5'000);
    }

    void positionsOnTheAxis()
    {
        const ScenePtr scene = two();
        const TimeRange whole = scene->extent();
        const TimeContext context{*scene, whole, std::nullopt};
        const auto at = [&](const char* text) {
            const auto place = resolveTime(*parseTimeText(text), context);
            return place ? place->aligned.begin.ns : int64_t(-1);
        };
        QCOMPARE(at("5 ms"), int64_t(5'000'000));
        QCOMPARE(at("+1ms"), whole.begin.ns + 1'000'000);
        QCOMPARE(at("0%"), whole.begin.ns);
        QCOMPARE(at("100%"), whole.end.ns);
        const int64_t utc_ns = *scene->alignment.utcAtZero_ns + 7'000'001;
        QCOMPARE(at((utcDateText(utc_ns) + "T" + utcTimeText(utc_ns) + "Z").c_str()), int64_t(7'000'001));
        QCOMPARE(at(utcTimeText(utc_ns).c_str()), int64_t(7'000'001));
        const ReportKey second = scene->shown.keys()[1];
        const int64_t raw_ns = scene->shown.report(second).extent.begin.ns + 5;
        const std::string rank = std::to_string(*scene->shown.identity(second).rank.value);
        QCOMPARE(at(("@r" + rank + " " + std::to_string(raw_ns)).c_str()),
                 scene->alignment.map(second).alignedFromTrace(TraceTime{raw_ns}).ns);
    }

    void fromTheSelectionWhereThereIsOne()
    {
        const ScenePtr scene = two();
        const TimeContext context{*scene, scene->extent(), TraceTime{3'000'000}};
        QCOMPARE(resolveTime(*parseTimeText("+1ms"), context)->aligned.begin.ns, int64_t(4'000'000));
    }

    void missingTargetsAreReported()
    {
        const ScenePtr scene = two();
        const StepRanges steps = stepRangesOf(*scene);
        const MarkList none;
        const TimeContext context{*scene, scene->extent(), std::nullopt, &none, &steps};
        for (const char* const text :
             {"100 s", "-5 s", "@r77 5", "mark 2", "step 777", "2020-01-01T00:00:00Z"}) {
            const auto place = resolveTime(*parseTimeText(text), context);
            QVERIFY2(!place.has_value(), text);
            QVERIFY(place.error().kind == ErrorKind::notFound);
        }
    }

    void stepsAreThoseMarkedInReports()
    {
        const ScenePtr scene = two();
        const StepRanges steps = stepRangesOf(*scene);
        QVERIFY(!steps.empty());
        const TimeContext context{*scene, scene->extent(), std::nullopt, nullptr, &steps};
        const auto& [number, range] = *steps.begin();
        const auto place = resolveTime(*parseTimeText("step " + std::to_string(number)), context);
        QVERIFY(place && place->aligned == range);
        const StepRanges one{{7, range}}, more{{7, range}, {9, range}};
        const auto refused = [&](const StepRanges& marked) {
            const TimeContext those{*scene, scene->extent(), std::nullopt, nullptr, &marked};
            return resolveTime(*parseTimeText("step 8"), those).error().message;
        };
        QCOMPARE(refused(one), std::string("there is no step 8: only step 7 is marked"));
        QCOMPARE(refused(more), std::string("there is no step 8: steps 7 to 9 are marked"));
    }
};

LOCKSTEP_TEST(TimeTextTest, "time_text_test")
#include "time_text_test.moc"
