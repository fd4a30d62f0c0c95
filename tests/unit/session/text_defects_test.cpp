// SPDX-License-Identifier: Apache-2.0
// Finds damage from copying a script, by line, and ignores text that only looks damaged.
#include "core/session/shell/text_defects.h"

#include "tests/support/test_registry.h"

using namespace lockstep::shell;

class TextDefectsTest : public QObject {
    Q_OBJECT

  private slots:
    void defects_data()
    {
        QTest::addColumn<QString>("script");
        QTest::addColumn<QStringList>("told"); // "line: begin of the text"
        QTest::newRow("clean") << "python3 a.py \\\n  x=1\n" << QStringList();
        QTest::newRow("byte order mark") << QString(QChar(0xFEFF)) + "set -x\n"
                                         << QStringList{"1: a byte order mark"};
        QTest::newRow("carriage returns") << "a\nb\r\nc\r\n"
                                          << QStringList{"2: carriage returns at the end of 2 lines"};
        QTest::newRow("blank") << "a\npython3 a.py \\ \n  x=1\n"
                               << QStringList{"2: a space after the backslash"};
        QTest::newRow("escaped blank at the end") << "cd my\\ " << QStringList();
        QTest::newRow("quotes") << "a x=\u201Cy\u201D\n"
                                << QStringList{"1: a curly quote (U+201C) at column 5",
                                               "1: a curly quote (U+201D) at column 7"};
        QTest::newRow("in a comment") << "# don\u2019t\na # don\u2019t \\ \n" << QStringList();
        QTest::newRow("in quotes") << "echo \"don\u2019t\" '\u2013'\n" << QStringList();
        QTest::newRow("column counts characters") << "echo \"\u00E4\u00F6\" \u2014x\n"
                                                  << QStringList{"1: an em dash (U+2014) at column 11"};
    }

    void defects()
    {
        QFETCH(QString, script);
        QFETCH(QStringList, told);
        const std::vector<TextDefect> found = findTextDefects(script.toStdString());
        QStringList texts;
        for (const TextDefect& defect : found)
            texts << QString("%1: %2").arg(defect.line).arg(QString::fromStdString(defect.text));
        QCOMPARE(texts.size(), told.size());
        for (qsizetype i = 0; i < told.size(); ++i)
            QVERIFY2(texts[i].startsWith(told[i]), qPrintable(texts[i]));
    }
};

LOCKSTEP_TEST(TextDefectsTest, "text_defects_test")
#include "text_defects_test.moc"
