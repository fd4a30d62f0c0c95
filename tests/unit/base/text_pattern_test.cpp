// Patterns: what matches, what is refused, and very long names.
#include "core/base/text_pattern.h"

#include "tests/support/test_registry.h"

using namespace lockstep;

class TextPatternTest : public QObject {
    Q_OBJECT

  private slots:
    void searchesAnywhere()
    {
        const TextPattern pattern = *TextPattern::compile("nccl.*(Reduce|Gather)");
        QVERIFY(pattern.matches("void ncclDevKernel_AllReduce_Sum()"));
        QVERIFY(!pattern.matches("gemm"));
        QVERIFY(!pattern.matches({}));
        QVERIFY(TextPattern::compile("^$")->matches({}));
        QVERIFY(!pattern.matches(std::string_view("nccl_Reduce").substr(0, 6))); // ends where the view ends
    }

    void refusesMalformedOnes()
    {
        const auto pattern = TextPattern::compile("a[");
        QVERIFY(!pattern);
        QCOMPARE(pattern.error().kind, ErrorKind::invalid);
        QVERIFY(pattern.error().message.find("'a['") != std::string::npos);
    }

    void longNamesAreFine()
    {
        const std::string name(1'000'000, 'x');
        QVERIFY(TextPattern::compile("x.*x$")->matches(name));
        QVERIFY(!TextPattern::compile("(x|y)*z")->matches(name.substr(0, 20'000)));
    }
};

LOCKSTEP_TEST(TextPatternTest, "text_pattern_test")
#include "text_pattern_test.moc"
