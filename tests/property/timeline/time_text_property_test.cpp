// SPDX-License-Identifier: Apache-2.0
// Tests that times written by the program are read back to the ns, and that any text at all is read or
// refused.
#include <rapidcheck.h>

#include "core/base/text.h"
#include "core/timeline/time_text.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class TimeTextPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void durationsRoundTrip()
    {
        QVERIFY(rc::check("an axis time", [] {
            const auto ns = *rc::gen::inRange<int64_t>(0, int64_t(1) << 60);
            const auto asked = parseTimeText(durationText({ns}, 9));
            RC_ASSERT(asked.has_value());
            RC_ASSERT(asked->from == TimeQuery::From::axis);
            RC_ASSERT(asked->value == ns);
        }));
    }

    void timestampsRoundTrip()
    {
        QVERIFY(rc::check("a UTC stamp", [] {
            const auto ns = *rc::gen::inRange<int64_t>(0, 4'000'000'000'000'000'000);
            const auto asked = parseTimeText(utcDateText(ns) + "T" + utcTimeText(ns) + "Z");
            RC_ASSERT(asked.has_value());
            RC_ASSERT(asked->from == TimeQuery::From::utc);
            RC_ASSERT(asked->value == ns);
            const auto ofDay = parseTimeText(utcTimeText(ns));
            RC_ASSERT(ofDay.has_value());
            RC_ASSERT(ofDay->value == ns % 86'400'000'000'000);
        }));
    }

    void anyTextIsReadOrRefused()
    {
        QVERIFY(rc::check("any text", [] {
            const auto text = *rc::gen::container<std::string>(rc::gen::oneOf(
                rc::gen::arbitrary<char>(), rc::gen::elementOf(std::string("0159 .:+-@%TZnumsk"))));
            const auto asked = parseTimeText(text);
            RC_ASSERT(asked.has_value() || asked.error().kind == ErrorKind::invalid);
        }));
    }
};

LOCKSTEP_TEST(TimeTextPropertyTest, "time_text_property_test")
#include "time_text_property_test.moc"
