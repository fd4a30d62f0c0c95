// SPDX-License-Identifier: Apache-2.0
// Tests the pickle machine: valid input, and cheap refusal of invalid input.
#include "core/readers/pickle/pickle.h"

#include "tests/support/cpu_timer.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::PickleWriter;

namespace {

Result<Pickle> decode(const std::string& bytes, const PickleLimits& limits = {})
{
    return readPickle(bytes, limits, Progress());
}

std::string repeated(std::string_view text, size_t count)
{
    std::string out;
    for (size_t i = 0; i < count; ++i)
        out += text;
    return out;
}

} // namespace

class PickleTest : public QObject {
    Q_OBJECT

  private slots:
    void readsNumbers()
    {
        // (255, 65535, -2, 2**64-1, -1, 1.5, None, True) through BININT1, BININT2, BININT, LONG1 of 9 and 1
        // bytes.
        std::string bytes("\x80\x02(K\xFFM\xFF\xFFJ\xFE\xFF\xFF\xFF\x8A\x09", 15);
        bytes += std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x00", 9);
        bytes += std::string("\x8A\x01\xFFG\x3F\xF8\x00\x00\x00\x00\x00\x00N\x88t.", 16);
        const auto pickle = decode(bytes);
        QVERIFY2(pickle, pickle ? "" : pickle.error().message.c_str());
        std::vector<ValueId> items;
        pickle->values.forEachItem(pickle->root, [&](ValueId item) { items.push_back(item); });
        QCOMPARE(items.size(), size_t(8));
        QCOMPARE(*pickle->values.asInteger(items[0]), int64_t(255));
        QCOMPARE(*pickle->values.asInteger(items[1]), int64_t(65535));
        QCOMPARE(*pickle->values.asInteger(items[2]), int64_t(-2));
        QCOMPARE(*pickle->values.asUnsigned(items[3]), ~uint64_t(0));
        QVERIFY(!pickle->values.asInteger(items[3]));
        QCOMPARE(*pickle->values.asInteger(items[4]), int64_t(-1));
        QCOMPARE(*pickle->values.asReal(items[5]), 1.5);
        QVERIFY(pickle->values.kind(items[6]) == ValueKind::none);
        QVERIFY(items[7] == ValueTree::kTrue);
        QCOMPARE(pickle->protocol, 2);
        QVERIFY(!pickle->isCut);
    }

    // Protocol 0 is lines of text, with escapes; as Python writes
    // {'naïve': 12, 'b': 2**64 - 1, 'c': [True, 1.5, 'x']}.
    void readsLinesOfText()
    {
        const std::string bytes = "(dp0\nVna\xEFve\np1\nI12\nsS'b'\np2\nL18446744073709551615L\ns"
                                  "Vc\\u20ac\np3\n(lp4\nI01\naF1.5\naS'x\\'y\\n'\nag1\nas.";
        const auto pickle = decode(bytes);
        QVERIFY2(pickle, pickle ? "" : pickle.error().message.c_str());
        QCOMPARE(pickle->protocol, 0);
        std::vector<std::string> keys;
        std::vector<ValueId> values;
        pickle->values.forEachEntry(pickle->root, [&](std::string_view key, ValueId value) {
            keys.emplace_back(key);
            values.push_back(value);
        });
        QCOMPARE(keys, (std::vector<std::string>{"na\xC3\xAFve", "b", "c\xE2\x82\xAC"}));
        QCOMPARE(*pickle->values.asInteger(values[0]), int64_t(12));
        QCOMPARE(*pickle->values.asUnsigned(values[1]), ~uint64_t(0));
        std::vector<ValueId> items;
        pickle->values.forEachItem(values[2], [&](ValueId item) { items.push_back(item); });
        QCOMPARE(items.size(), size_t(4));
        QVERIFY(items[0] == ValueTree::kTrue);
        QCOMPARE(*pickle->values.asReal(items[1]), 1.5);
        QCOMPARE(*pickle->values.asText(items[2]), std::string_view("x'y\n"));
        QCOMPARE(*pickle->values.asText(items[3]), std::string_view("na\xC3\xAFve"));
    }

    void sharedObjectsStayShared()
    {
        PickleWriter writer(4);
        writer.op("](").text("once").op("\x94h").op(std::string_view("\0", 1)).op("e.");
        const auto pickle = decode(writer.bytes());
        QVERIFY(pickle);
        std::vector<ValueId> items;
        pickle->values.forEachItem(pickle->root, [&](ValueId item) { items.push_back(item); });
        QCOMPARE(items.size(), size_t(2));
        QVERIFY(items[0] == items[1]);
    }

    void refusesCode_data()
    {
        QTest::addColumn<QByteArray>("tail");
        QTest::addColumn<QString>("word");
        QTest::newRow("global") << QByteArray("cos\nsystem\n(X\x02\x00\x00\x00idtR.", 22)
                                << "GLOBAL (os.system)";
        QTest::newRow("stack global") << QByteArray("\x8C\x02os\x8C\x06system\x93.", 15) << "STACK_GLOBAL";
        QTest::newRow("reduce") << QByteArray("N)R.") << "REDUCE";
        QTest::newRow("build") << QByteArray("N}b.") << "BUILD";
        QTest::newRow("inst") << QByteArray("(ios\nsystem\n.") << "INST (os.system)";
        QTest::newRow("obj") << QByteArray("(No.") << "OBJ";
        QTest::newRow("newobj") << QByteArray("N)\x81.") << "NEWOBJ";
        QTest::newRow("newobj_ex") << QByteArray("N)}\x92.") << "NEWOBJ_EX";
        QTest::newRow("persid") << QByteArray("P12\n.") << "PERSID";
        QTest::newRow("binpersid") << QByteArray("NQ.") << "BINPERSID";
        QTest::newRow("ext1") << QByteArray("\x82\x01.") << "EXT1";
        QTest::newRow("ext4") << QByteArray("\x84\x01\x00\x00\x00.", 6) << "EXT4";
        QTest::newRow("buffer") << QByteArray("\x97.") << "NEXT_BUFFER";
        QTest::newRow("bytearray") << QByteArray("\x96\x01\x00\x00\x00\x00\x00\x00\x00x.", 11)
                                   << "BYTEARRAY8";
    }
    void refusesCode()
    {
        QFETCH(QByteArray, tail);
        QFETCH(QString, word);
        const auto pickle = decode("\x80\x04" + tail.toStdString());
        QVERIFY(!pickle);
        QVERIFY(pickle.error().kind == ErrorKind::unsupported);
        QVERIFY2(pickle.error().message.find(word.toStdString()) != std::string::npos,
                 pickle.error().message.c_str());
        QVERIFY(pickle.error().message.starts_with("byte "));
    }

    void hostileSizesCostNothing_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        const auto row = [](const char* name, const std::string& bytes) {
            QTest::newRow(name) << QByteArray::fromStdString("\x80\x04" + bytes);
        };
        row("text of 2^40", std::string("\x8D\0\0\0\0\0\1\0\0", 9) + "abc");
        row("long of 2^31", std::string("\x8B\0\0\0\x80", 5));
        row("memo at 2^32", std::string("Nr\xF0\xFF\xFF\xFF.", 7));
        row("deep marks", repeated("(", 2'000'000));
        row("holds itself", "]\x94" + std::string("h\0a.", 4));
        row("number of 100 bytes", "\x8A\x64" + std::string(100, '\x7F'));
        row("number as key", std::string("}K\1K\1s.", 7));
        row("underflow", "a.");
        row("below a mark", "](a.");
        row("tuple below a mark", "N(\x85.");
        row("no mark", "]e.");
        row("unset memo", std::string("h\5.", 3));
        row("items for text", std::string("X\1\0\0\0xNa.", 9));
    }
    void hostileSizesCostNothing()
    {
        QFETCH(QByteArray, bytes);
        const test::CpuTimer timer;
        const auto pickle = decode(bytes.toStdString());
        QVERIFY(!pickle || pickle->isCut);
        QVERIFY2(timer.elapsed_ms() < 200, "a hostile pickle took long");
    }

    void doublingStaysSmall()
    {
        // x = []; 200 times: x = [x, x]. Expanded this would be 2^200 nodes; shared it is 200 lists.
        std::string bytes("\x80\x04]\x94", 4);
        for (int i = 0; i < 200; ++i)
            bytes += std::string("](h") + char(i) + "h" + char(i) + "e\x94";
        const auto pickle = decode(bytes + ".");
        QVERIFY2(pickle, pickle ? "" : pickle.error().message.c_str());
        QVERIFY(pickle->values.nodeCount() < 600);
    }

    void valuesAreLimited()
    {
        PickleLimits limits;
        limits.values_bytes = 1 << 20;
        const auto pickle = decode(std::string("\x80\x04](") + repeated("]", 300'000) + "e.", limits);
        QVERIFY(!pickle);
        QVERIFY(pickle.error().kind == ErrorKind::unsupported);
    }

    void everyTruncationKeepsEarlierObjects()
    {
        // {"a": [[ {"x": 1}, {"x": 2} ]]} with the inner list as the only item of the outer one.
        PickleWriter writer(4);
        writer.op("}(").text("a").op("](").op("](").op("}").entry("x", 1).op("}").entry("x", 2).op("eeu.");
        const std::string whole = writer.bytes();
        size_t most = 0;
        for (size_t size = 3; size < whole.size(); ++size) {
            const auto pickle = decode(whole.substr(0, size));
            QVERIFY2(pickle, pickle ? "" : pickle.error().message.c_str());
            QVERIFY(pickle->isCut);
            size_t dicts = 0;
            pickle->values.forEachEntry(pickle->root, [&](std::string_view, ValueId outer) {
                pickle->values.forEachItem(outer, [&](ValueId inner) {
                    pickle->values.forEachItem(inner, [&](ValueId item) {
                        dicts +=
                            pickle->values.kind(item) == ValueKind::dict; // a pending key may be among them
                    });
                });
            });
            QVERIFY(dicts >= most);
            most = dicts;
        }
        QCOMPARE(most, size_t(2));
    }

    void refusesOtherProtocols()
    {
        QVERIFY(!decode("\x80\x06N."));
        QVERIFY(!decode(""));
        QVERIFY(!decode("\x80\x04"));
    }

    void stopsWhenAsked()
    {
        std::stop_source stop;
        stop.request_stop();
        const auto pickle = readPickle("\x80\x04](" + repeated("N", 200'000) + "e.", PickleLimits(),
                                       Progress(stop.get_token()));
        QVERIFY(!pickle);
        QVERIFY(pickle.error().kind == ErrorKind::canceled);
    }
};

LOCKSTEP_TEST(PickleTest, "pickle_test")
#include "pickle_test.moc"
