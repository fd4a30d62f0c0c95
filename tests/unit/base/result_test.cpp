// SPDX-License-Identifier: Apache-2.0
// Tests that LOCKSTEP_TRY passes values on, and returns errors before anything after it runs; a Status is a
// Result without a value.
#include "core/base/result.h"

#include <memory>
#include <type_traits>

#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

Status outcome(bool isGood)
{
    if (!isGood) return makeError(ErrorKind::io, "the disk is full");
    return {};
}

Status countingStatus(bool isGood, int& reached)
{
    LOCKSTEP_TRY(outcome(isGood));
    ++reached;
    return {};
}

Result<std::unique_ptr<int>> valueAfter(bool isGood)
{
    LOCKSTEP_TRY(outcome(isGood));
    return std::make_unique<int>(7);
}

Status statusAfter(bool isGood, int& value)
{
    const std::unique_ptr<int> number = LOCKSTEP_TRY(valueAfter(isGood));
    value = *number;
    return {};
}

// A bool does not convert to a Status, nor a Status to a bool.
static_assert(!std::is_convertible_v<bool, Status>);
static_assert(!std::is_convertible_v<Status, bool> && std::is_constructible_v<bool, Status>);
static_assert(!std::is_convertible_v<Status, Result<bool>> && !std::is_convertible_v<Result<bool>, Status>);

} // namespace

class ResultTest : public QObject {
    Q_OBJECT

  private slots:
    void statusHasNoValue()
    {
        QVERIFY(Status());
        QVERIFY(outcome(true));
        const Status failed = outcome(false);
        QVERIFY(!failed);
        QCOMPARE(failed.error(), (Error{ErrorKind::io, "the disk is full"}));
    }

    // The topic belongs to the error: context keeps it, and errors with different topics differ.
    void helpTopicIsKept()
    {
        const Status failed = makeError(ErrorKind::io, "no space", HelpTopic::writeError);
        QCOMPARE(failed.error().help, HelpTopic::writeError);
        QCOMPARE(withContext(failed.error(), "a.lockstep"),
                 (Error{ErrorKind::io, "a.lockstep: no space", HelpTopic::writeError}));
        QVERIFY(failed.error() != (Error{ErrorKind::io, "no space"}));
        QCOMPARE(statusAfter(false, *std::make_unique<int>()).error().help, HelpTopic::none);
    }

    void errorsReturnBeforeFollowingCode()
    {
        int reached = 0;
        QVERIFY(countingStatus(true, reached));
        QVERIFY(!countingStatus(false, reached));
        QCOMPARE(reached, 1);
    }

    void valuesAndStatusesMix()
    {
        QCOMPARE(**valueAfter(true), 7);
        QCOMPARE(valueAfter(false).error().kind, ErrorKind::io);
        int value = 0;
        QVERIFY(statusAfter(true, value));
        QCOMPARE(value, 7);
        QCOMPARE(statusAfter(false, value).error().message, std::string("the disk is full"));
    }
};

LOCKSTEP_TEST(ResultTest, "result_test")
#include "result_test.moc"
