// Who is who, as a file says it.
#include "app/identity_file.h"

#include "tests/support/job_report.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class IdentityFileTest : public QObject {
    Q_OBJECT

  private slots:
    void pathsNamesAndPatterns()
    {
        const IdentityFile file = *IdentityFile::parse("rank, path ,role,host,step\n"
                                                       "# a comment\n"
                                                       ",*.json,\"roll,out\",n0,\r\n"
                                                       "3,/data/w3.json,,,7\n\n",
                                                       "who.csv");
        const auto both = file.statedFor("/data/w3.json");
        QCOMPARE(both->rank, std::optional(3));
        QCOMPARE(both->step, std::optional(7));
        QCOMPARE(both->role, std::optional<std::string>("roll,out"));
        QCOMPARE(both->source, std::string("who.csv line 4"));
        QVERIFY(!file.statedFor("/data/w4.json")->rank);
        QCOMPARE(file.statedFor("/data/w4.json")->host, std::optional<std::string>("n0"));
        QVERIFY(!file.statedFor("/data/w4.sqlite"));
    }

    void mistakesNameTheLine_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        QTest::newRow("empty") << ""
                               << "it is empty";
        QTest::newRow("no path") << "rank,host\n1,a\n"
                                 << "a column named path is needed";
        QTest::newRow("unknown column") << "path,node\na,b\n"
                                        << "line 1: no column 'node'";
        QTest::newRow("rank is no number") << "path,rank\na,first\n"
                                           << "line 2: rank 'first' is no number";
        QTest::newRow("negative") << "path,step\na,-1\n"
                                  << "line 2: step '-1' is no number";
        QTest::newRow("too many cells") << "path\na,b\n"
                                        << "line 2: more cells than columns";
        QTest::newRow("no pattern") << "path,rank\n,1\n"
                                    << "line 2: the path is empty";
    }
    void mistakesNameTheLine()
    {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        const auto file = IdentityFile::parse(text.toStdString(), "who.csv");
        QVERIFY(!file);
        QCOMPARE(file.error().kind, ErrorKind::invalid);
        QVERIFY2(QString::fromStdString(file.error().message).contains(expected),
                 file.error().message.c_str());
    }

    void statedPartsBeatTheFile()
    {
        IdentityOverride stated;
        stated.rank = 5;
        stated.source = "who.csv line 2";
        const auto report = withIdentity(test::jobReport({.rank = 0, .host = "n0"}), stated);
        QCOMPARE(report->identity.rank.value, std::optional(5));
        QCOMPARE(report->identity.rank.confidence, Confidence::confirmed);
        QCOMPARE(report->processes[0].identity.rank.value, std::optional(5));
        QCOMPARE(report->identity.host.value, std::optional<std::string>("n0"));
    }
};

LOCKSTEP_TEST(IdentityFileTest, "identity_file_test")
#include "identity_file_test.moc"
