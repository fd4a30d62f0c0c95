// SPDX-License-Identifier: Apache-2.0
// Tests arguments of analyses: written arguments are read back the same, and an invalid one is refused with a
// message that lists the valid ones.
#include <array>

#include "core/analysis/analysis.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr std::array<std::string_view, 2> kModes{"sum", "union"};
constexpr std::array<AnalysisArgument, 7> kDeclared{
    AnalysisArgument{"base", "by base name"},
    AnalysisArgument{"rows", "", ArgumentType::whole, "50", "", -1},
    AnalysisArgument{"threshold", "", ArgumentType::number, "50", "%", 0, 100},
    AnalysisArgument{"gap", "", ArgumentType::duration, "500", "ms", 0, 1e15, {}, "longer"},
    AnalysisArgument{"mode", "", ArgumentType::choice, "union", "", 0, 0, kModes},
    AnalysisArgument{"nvtx", "", ArgumentType::text},
    AnalysisArgument{"ranges", "", ArgumentType::names},
};

Result<ArgumentValues> said(std::string_view what)
{
    std::vector<std::string> words = splitRequest(what);
    words.erase(words.begin());
    return ArgumentValues::parse(kDeclared, words);
}

} // namespace

class ArgumentsTest : public QObject {
    Q_OBJECT

  private slots:
    void missingArgumentsHaveDefaults()
    {
        const ArgumentValues values = said("x").value();
        QVERIFY(!values.flag("base") && !values.isGiven("rows"));
        QCOMPARE(values.whole("rows"), int64_t(50));
        QCOMPARE(values.number("threshold"), 50.0);
        QCOMPARE(values.duration("gap").ns, int64_t(500'000'000));
        QCOMPARE(values.choice("mode"), std::string_view("union"));
        QVERIFY(values.text("nvtx").empty() && values.names("ranges").empty());
        QCOMPARE(values.canonical(), std::string());
    }

    void argumentsAreRead()
    {
        const ArgumentValues values =
            said("x:base:rows=-1:threshold=12.5%:gap=2:mode=sum:nvtx=a\\:b\\\\c=d\\e:ranges=one+t\\+wo+")
                .value();
        QVERIFY(values.flag("base") && values.isGiven("rows"));
        QCOMPARE(values.whole("rows"), int64_t(-1));
        QCOMPARE(values.number("threshold"), 12.5);
        QCOMPARE(values.duration("gap").ns, int64_t(2'000'000));
        QCOMPARE(values.choice("mode"), std::string_view("sum"));
        QCOMPARE(values.text("nvtx"), std::string_view("a:b\\c=d\\e"));
        QCOMPARE(values.names("ranges"), (std::vector<std::string>{"one", "t+wo", ""}));
    }

    // A cached result is found by its arguments, however they were written.
    void equalArgumentsAreWrittenEqually()
    {
        const std::string one = said("x:gap=2:base:rows=7").value().canonical();
        QCOMPARE(one, said("x:rows=07:longer=2000us:base").value().canonical());
        QVERIFY(one != said("x:gap=2:base").value().canonical());
    }

    void invalidArgumentsAreRefused_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* what, const char* message) {
            QTest::newRow(what) << what << message;
        };
        row("x:none",
            "unknown argument ':none'; valid arguments: :base :rows=N :threshold=PERCENT :gap=DURATION "
            ":mode=sum|union :nvtx=TEXT :ranges=NAME[+NAME...]");
        row("x:", "unknown argument ':'");
        row("x:base:base", "argument ':base' is specified more than once");
        row("x:gap=1s:longer=2s", "argument ':gap' is specified more than once");
        row("x:base=1", "write ':base' instead of ':base=1'");
        row("x:rows", "write ':rows=N' instead of ':rows'");
        row("x:rows=7.5", "argument ':rows' must be a whole number, not '7.5'");
        row("x:rows=-2", "argument ':rows' must be at least -1, not '-2'");
        row("x:threshold=101", "argument ':threshold' must be at least 0 % and at most 100 %, not '101'");
        row("x:threshold=nan", "argument ':threshold' must be a number, not 'nan'");
        row("x:gap=soon", "argument ':gap' must be a time such as 250us, 1.5ms or 2s, not 'soon'");
        row("x:gap=-1ms", "argument ':gap' must be at least 0 ns");
        row("x:gap=99999999999999", "argument ':gap'");
        row("x:mode=most", "argument ':mode' must be one of sum, union, not 'most'");
    }
    void invalidArgumentsAreRefused()
    {
        QFETCH(QString, what);
        QFETCH(QString, message);
        const auto values = said(what.toStdString());
        QVERIFY(!values);
        QVERIFY2(values.error().message.starts_with(message.toStdString()), values.error().message.c_str());
    }
};

LOCKSTEP_TEST(ArgumentsTest, "arguments_test")
#include "arguments_test.moc"
