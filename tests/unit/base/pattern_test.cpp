// SPDX-License-Identifier: Apache-2.0
// Tests patterns: matches, refusals, groups, and names on which a match must not crash or hang.

#include "core/base/pattern.h"
#include "tests/support/cpu_timer.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class PatternTest : public QObject {
    Q_OBJECT

  private slots:
    void searchesAnywhere()
    {
        const Pattern pattern = *Pattern::compile("nccl.*(Reduce|Gather)");
        QVERIFY(pattern.matches("void ncclDevKernel_AllReduce_Sum()"));
        QVERIFY(!pattern.matches("gemm"));
        QVERIFY(!pattern.matches({}));
        QVERIFY(!pattern.matches("NCCL_REDUCE"));
        QVERIFY(Pattern::compile("^$")->matches({}));
        QVERIFY(!pattern.matches(std::string_view("nccl_Reduce").substr(0, 6))); // ends where the view ends
        QVERIFY(Pattern::compile("Sm90", Pattern::Case::ignored)->matches("kernel_SM90_b"));
        QVERIFY(Pattern::compile("Größe")->matches("die Größe hier"));
        QVERIFY(Pattern::compile("b.d")->matches("a\xff\xfe b+d \xff")); // around bytes that are not UTF-8
    }

    void refused_data()
    {
        QTest::addColumn<QString>("expression");
        for (const char* text : {"a[", "(", "a)", "*", "a{2,1}", "(?=a)", "(?<!a)b", "(a)\\1", "a**",
                                 "((((a{100}){100}){100}){100})"})
            QTest::newRow(text) << text;
        QTest::newRow("long") << QString(5000, 'a');
    }

    void refused()
    {
        QFETCH(QString, expression);
        const auto pattern = Pattern::compile(expression.toStdString());
        QVERIFY(!pattern);
        QCOMPARE(pattern.error().kind, ErrorKind::invalid);
        QVERIFY(pattern.error().message.find("'" + expression.left(200).toStdString()) != std::string::npos);
        QVERIFY(pattern.error().message.size() < 400);
    }

    void groupsByName()
    {
        const Pattern pattern =
            *Pattern::compile(R"((?<role>[^_]+)(?:_step(?<step>\d+))?_rank(?P<rank>\d+))");
        const std::string name = "actor_step12_rank3";
        const auto parts = pattern.fullMatch(name);
        QVERIFY(parts);
        QVERIFY((*parts)["role"] == "actor" && (*parts)["step"] == "12" && (*parts)["rank"] == "3");
        QVERIFY((*parts)["nobody"].empty());
        QVERIFY((*pattern.fullMatch("actor_rank3"))["step"].empty());
        QVERIFY(!pattern.fullMatch("actor_rank3.json"));
        QVERIFY(!pattern.fullMatch("x actor rank3"));
    }

    void bracketsThatAreNotGroups()
    {
        QVERIFY(Pattern::compile(R"(\(?<a)")->matches("<a"));
        QVERIFY(Pattern::compile("[(?<a]+$")->matches("?<a("));
        QVERIFY(Pattern::compile("[](?<a]+$")->matches("]?<a("));
        QVERIFY(Pattern::compile("[^](?<a]")->matches("b"));
    }

    // Each of these crashes a recursive matcher or takes hours in a backtracking one.
    void longNamesInLinearTime()
    {
        const std::string name(4'000'000, 'b');
        const test::CpuTimer timer;
        for (const char* expression :
             {"(a|b)*c", "(a*)*c", "(b+)+$c", "(.*)*x", "^(b|bb|bbb)*a", "b*b*b*b*b*c"})
            QVERIFY2(!Pattern::compile(expression)->matches(name), expression);
        QVERIFY(Pattern::compile("b.*b$")->matches(name));
        QVERIFY(Pattern::compile("(?<all>(b|bb)*)")->fullMatch(name));
        QVERIFY2(timer.elapsed_ms() < 20'000, "a matcher that goes back needs hours");
    }
};

LOCKSTEP_TEST(PatternTest, "pattern_test")
#include "pattern_test.moc"
