// SPDX-License-Identifier: Apache-2.0
// LOCKSTEP_TRY hands on values, and errors before anything after it runs; a Status is a Result of nothing.
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

// A yes or no is no account of whether something went well, and the other way round.
static_assert(!std::is_convertible_v<bool, Status>);
static_assert(!std::is_convertible_v<Status, bool> && std::is_constructible_v<bool, Status>);
static_assert(!std::is_convertible_v<Status, Result<bool>> && !std::is_convertible_v<Result<bool>, Status>);

} // namespace

class ResultTest : public QObject {
    Q_OBJECT

  private slots:
    void aStatusTellsOnlyWhetherItWentWell()
    {
        QVERIFY(Status());
        QVERIFY(outcome(true));
        const Status failed = outcome(false);
        QVERIFY(!failed);
        QCOMPARE(failed.error(), (Error{ErrorKind::io, "the disk is full"}));
    }

    void errorsPassOnWhatFollowsDoesNotRun()
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
