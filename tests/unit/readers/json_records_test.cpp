// SPDX-License-Identifier: Apache-2.0
// Tests how objects are cut from files: from lines, arrays and one object over many lines, and past damage.
#include "core/readers/json_records.h"

#include "core/base/json_fields.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

struct CutRecords {
    QString names; // of the objects, in order
    QStringList notes;
    QList<qint64> offsets;
};

// Returns {"n":"NAME"}.
QString object(const char* name)
{
    return QString("{\"n\":\"%1\"}").arg(name);
}

CutRecords recordsOf(const std::string& text)
{
    const test::TempDir folder;
    auto records = JsonRecords::open(folder.write("made.jsonl", text));
    CutRecords out;
    for (std::string_view object; *records->next(object, Progress());) {
        const Json parsed = Json::parse(object, nullptr, false);
        if (!parsed.is_object() || !parsed.contains("n")) {
            records->reject();
            continue;
        }
        out.names += QString::fromStdString(parsed["n"].get<std::string>());
        out.offsets << qint64(records->position());
    }
    ImportNotes notes;
    records->addNotes(notes);
    for (const ImportNote& note : notes.all())
        out.notes << QString::fromStdString(note.kind + " " + std::to_string(note.count) + " " +
                                            note.example);
    return out;
}

} // namespace

class JsonRecordsTest : public QObject {
    Q_OBJECT

  private slots:
    void shapes_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("names");
        const QString a = object("a"), b = object("b"), c = object("c");
        QTest::newRow("lines") << a + "\n" + b + "\n"
                               << "ab";
        QTest::newRow("no last line break") << a + "\n" + b << "ab";
        QTest::newRow("array in one line") << "[" + a + "," + b + ", " + c + "]"
                                           << "abc";
        QTest::newRow("over many lines")
            << "[\n  {\n    \"n\": \"a\",\n    \"x\": {\n      \"y\": [1]\n    }\n  }\n]"
            << "a";
        QTest::newRow("brackets in strings") << "{\"x\":\"}]{[\\\"}\",\"n\":\"a\"}" + b << "ab";
        QTest::newRow("blank lines") << "\n\n{\"n\":\"a\"}\r\n\r\n{\"n\":\"b\"}\n\n"
                                     << "ab";
        QTest::newRow("empty") << ""
                               << "";
    }

    void shapes()
    {
        QFETCH(QString, text);
        QFETCH(QString, names);
        const CutRecords cut = recordsOf(text.toStdString());
        QCOMPARE(cut.names, names);
        QCOMPARE(cut.notes, QStringList());
    }

    void damage_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("names");
        QTest::addColumn<QStringList>("notes");
        const QString a = R"({"n":"a"})"
                          "\n",
                      b = R"({"n":"b"})"
                          "\n";
        const QStringList isDamaged{"records.damaged 1 byte 10"};
        QTest::newRow("text between") << a + "junk\n" + b << "ab" << isDamaged;
        QTest::newRow("open bracket") << a + "{\"x\":[1\n" + b << "ab" << isDamaged;
        QTest::newRow("open string") << a + "{\"x\":\"1\n" + b << "ab" << isDamaged;
        QTest::newRow("still written") << a + "{\"n\":\"b"
                                       << "a" << QStringList{"records.cut_short 1 byte 10"};
        QTest::newRow("too much damage")
            << a + QString("x\n").repeated(2'000) + b << "a"
            << QStringList{"records.damaged 1000 byte 10", "records.given_up 1 byte 2008"};
    }

    void damage()
    {
        QFETCH(QString, text);
        const CutRecords cut = recordsOf(text.toStdString());
        QTEST(cut.names, "names");
        QTEST(cut.notes, "notes");
    }

    void objectsThatAreTooLarge()
    {
        const std::string large(JsonRecords::kLargest_bytes + 1000, 'x');
        const CutRecords cut = recordsOf("{\"n\":\"a\"}\n{\"x\":\"" + large + "\"}\n{\"n\":\"b\"}\n");
        QCOMPARE(cut.names, QString("ab"));
        QCOMPARE(cut.notes, QStringList{"records.too_large 1 byte 10"});
        QCOMPARE(cut.offsets, (QList<qint64>{0, qint64(10 + 8 + large.size() + 1)}));
    }

    // More text than the buffer holds at once, with objects on both sides of every border.
    void manyObjects()
    {
        std::string text;
        for (int i = 0; i < 20'000; ++i)
            text += "{\"x\":\"" + std::string(size_t(i % 997), '.') + "\",\"n\":\"a\"}" +
                    (i % 3 == 0 ? "," : "\n");
        const CutRecords cut = recordsOf(text);
        QCOMPARE(cut.names.size(), qsizetype(20'000));
        QCOMPARE(cut.notes, QStringList());
        for (const qint64 offset : cut.offsets)
            QVERIFY(text[size_t(offset)] == '{' && text.compare(size_t(offset), 6, "{\"x\":\"") == 0);
    }
};

LOCKSTEP_TEST(JsonRecordsTest, "json_records_test")
#include "json_records_test.moc"
