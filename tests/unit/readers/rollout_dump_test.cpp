// SPDX-License-Identifier: Apache-2.0
// Tests the reader of rollout dumps with damaged, hostile and large files. tests/golden/samples/*.pt contain
// ordinary ones.
#include <algorithm>
#include <cmath>

#include "core/readers/pickle/pickle.h"
#include "core/readers/reader.h"
#include "core/readers/registry.h"
#include "tests/support/gzip_text.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/torch_archive_writer.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::PickleWriter;
using lockstep::test::torchArchiveOf;

namespace {

using Read = Result<std::shared_ptr<const Report>>;

Read readDump(const std::string& bytes, const char* name = "12.pt")
{
    const test::TempDir folder;
    return readReport(folder.write(name, bytes), Progress(test::workers()));
}

// {"rollout_id": 12, "samples": [{"index": 3, ..., MORE}]}
std::string dumpWith(std::string_view more)
{
    PickleWriter writer(2);
    writer.op("}(").text("rollout_id").number(12).text("samples").op("](}(").text("index").number(3);
    writer.text("status").text("completed").text("response_length").number(7).op(more).op("ueu.");
    return writer.bytes();
}

std::string textOp(std::string_view text)
{
    return PickleWriter(2).text(text).bytes().substr(2);
}

// Returns the note of this kind, or nullptr.
const ImportNote* noteOf(const Report& report, std::string_view kind)
{
    const auto found = std::ranges::find(report.notes.all(), kind, &ImportNote::kind);
    return found != report.notes.all().end() ? &*found : nullptr;
}

std::string goldenDump()
{
    return test::contentOf(test::sourceFolder() / "tests/golden/samples/12.pt");
}

} // namespace

class RolloutDumpTest : public QObject {
    Q_OBJECT

  private slots:
    void formsOfArchives_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        const auto row = [](const char* name, const std::string& bytes) {
            QTest::newRow(name) << QByteArray::fromStdString(bytes);
        };
        row("torch.save", torchArchiveOf(dumpWith("")));
        row("sizes in the header", torchArchiveOf(dumpWith(""), {.hasDescriptor = false}));
        row("zip64", torchArchiveOf(dumpWith(""), {.hasDescriptor = false, .isZip64 = true}));
        row("gzip", test::gzipped(torchArchiveOf(dumpWith(""))));
    }
    void formsOfArchives()
    {
        QFETCH(QByteArray, bytes);
        const Read report = readDump(bytes.toStdString());
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QVERIFY((*report)->notes.all().empty());
        QCOMPARE((*report)->samples.samples.size(), size_t(1));
        const Sample& sample = (*report)->samples.samples[0];
        QCOMPARE((*report)->strings.at(sample.id), std::string_view("3"));
        QCOMPARE(sample.step, int64_t(12));
        QCOMPARE(sample.outputTokens, int64_t(7));
        QVERIFY(sample.status == SampleStatus::completed);
        QVERIFY(!sample.slice.isValid()); // no times
    }

    void refusedArchives()
    {
        const Read packed = readDump(torchArchiveOf(dumpWith(""), {.method = 8}), "rollout_data/12.pt");
        QVERIFY(!packed);
        QVERIFY2(packed.error().message.find("compressed") != std::string::npos,
                 packed.error().message.c_str());
        // A checkpoint stays what it was before.
        const Read other =
            readDump(torchArchiveOf(PickleWriter(2).op("}").entry("model", "x").op(".").bytes()));
        QVERIFY(!other);
        QVERIFY2(other.error().message.find("torch.save") != std::string::npos,
                 other.error().message.c_str());
        const Read none = readDump(torchArchiveOf(
            PickleWriter(2).op("}").entry("rollout_id", 1).entry("samples", "none").op(".").bytes()));
        QVERIFY(!none);
        QVERIFY(none.error().kind == ErrorKind::unsupported);
    }

    // Names and calls of all kinds become placeholders, and the fields around them are read.
    void objectsAreSkipped_data()
    {
        QTest::addColumn<QByteArray>("value");
        const std::string storage = "((" + textOp("storage") + "ctorch\nFloatStorage\n" + textOp("0") + "tQK";
        QTest::newRow("tensor") << QByteArray::fromStdString("ctorch._utils\n_rebuild_tensor_v2\n" +
                                                             storage) +
                                       QByteArray("\x00)\x89tR", 5);
        QTest::newRow("system") << QByteArray("cos\nsystem\n(X\x02\x00\x00\x00idtR", 21);
        QTest::newRow("stack global") << QByteArray("X\x02\x00\x00\x00osX\x02\x00\x00\x00id\x93)\x81}b", 19);
        QTest::newRow("newobj_ex") << QByteArray("NN)\x92");
        QTest::newRow("inst") << QByteArray("(K\x01ios\nsystem\n");
        QTest::newRow("obj") << QByteArray("(cos\nsystem\nK\x01o");
        QTest::newRow("persid") << QByteArray("P12\n");
        QTest::newRow("ext") << QByteArray("\x82\x01");
        QTest::newRow("ext4") << QByteArray("\x84\x01\x00\x00\x00", 5);
        QTest::newRow("buffer") << QByteArray("\x97\x98");
        QTest::newRow("set") << QByteArray("\x8F(K\x01K\x02\x90");
        QTest::newRow("frozenset") << QByteArray("(K\x01K\x02\x91");
        QTest::newRow("bytearray") << QByteArray("\x96\x01\x00\x00\x00\x00\x00\x00\x00x", 10);
        QTest::newRow("filled object") << QByteArray("cos\nOrderedDict\n)R(K\x01K\x02uK\x01K\x02s");
        QTest::newRow("long number") << QByteArray("\x8A\x0B"
                                                   "12345678901",
                                                   13);
        QTest::newRow("number keys") << QByteArray("}(K\x07NK\x08Nu");
    }
    void objectsAreSkipped()
    {
        QFETCH(QByteArray, value);
        const std::string bytes =
            dumpWith(textOp("metadata") + value.toStdString() + textOp("reward") + "K\x05");
        const Read report = readDump(torchArchiveOf(bytes));
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QCOMPARE((*report)->samples.samples.size(), size_t(1));
        QCOMPARE((*report)->samples.samples[0].reward, 5.0);
    }

    void rewardsMayBeTruthValues()
    {
        for (const bool isTrue : {false, true}) {
            const Read report =
                readDump(torchArchiveOf(dumpWith(textOp("reward") + (isTrue ? "\x88" : "\x89"))));
            QVERIFY(report && noteOf(**report, "sample.reward") == nullptr);
            QCOMPARE((*report)->samples.samples[0].reward, isTrue ? 1.0 : 0.0);
        }
    }

    // The option of the run that names the entry is not in the file.
    void rewardsMayBeDictionaries_data()
    {
        QTest::addColumn<QByteArray>("entries");
        QTest::addColumn<double>("reward");
        QTest::addColumn<QByteArray>("note");
        const auto row = [](const char* name, const std::string& entries, double reward, const char* note) {
            QTest::newRow(name) << QByteArray::fromStdString(entries) << reward << QByteArray(note);
        };
        const std::string four = textOp("reward") + "K\x04s", two = textOp("score") + "K\x02s";
        row("score", "}" + two, 2, "the entry \"score\" is shown");
        row("reward", "}" + four, 4, "the entry \"reward\" is shown");
        row("both", "}" + four + two, 2, "the entry \"score\" is shown");
        row("neither", "}" + textOp("acc") + "K\x01s", std::nan(""), "shown without a reward");
    }
    void rewardsMayBeDictionaries()
    {
        QFETCH(QByteArray, entries);
        QFETCH(double, reward);
        QFETCH(QByteArray, note);
        const Read report = readDump(torchArchiveOf(dumpWith(textOp("reward") + entries.toStdString())));
        QVERIFY(report);
        QCOMPARE((*report)->samples.samples[0].reward, reward);
        QCOMPARE((*report)->notes.all().size(), size_t(1));
        const std::string& text = (*report)->notes.all().front().text;
        QVERIFY2(text.find(note.toStdString()) != std::string::npos, text.c_str());
    }

    void rewardsThatAreNoNumbersAreNoted()
    {
        const Read report = readDump(torchArchiveOf(dumpWith(textOp("reward") + "cnumpy\nscalar\n)R")));
        QVERIFY(report);
        QVERIFY((*report)->samples.samples[0].reward != (*report)->samples.samples[0].reward);
        QVERIFY(noteOf(**report, "sample.reward") != nullptr);
    }

    // Tokens are neither stored nor needed: a million of them in lists of 1000, as Python writes them, and in
    // lists of lists.
    void tokensNeedNoMemory()
    {
        std::string tokens = "]q\x01", pairs = "]q\x02";
        for (int block = 0; block < 1000; ++block) {
            tokens += '(';
            pairs += '(';
            for (int i = 0; i < 1000; ++i) {
                tokens += std::string("J\x01\x02\x03", 4) + '\x01';
                if (i % 10 == 0)
                    pairs += std::string("](K\x01M\x02\x03G\x40\x00\x00\x00\x00\x00\x00\x00"
                                         "e",
                                         17);
            }
            tokens += 'e';
            pairs += 'e';
        }
        const std::string bytes = dumpWith(textOp("tokens") + tokens + textOp("logprobs") + pairs);
        PickleLimits limits;
        limits.values_bytes = size_t(8) << 20;
        const auto pickle = readTorchPickle(bytes, limits, Progress());
        QVERIFY2(pickle, pickle ? "" : pickle.error().message.c_str());
        QVERIFY2(pickle->values.residentBytes() < limits.values_bytes,
                 std::to_string(pickle->values.residentBytes()).c_str());
        const Read report = readDump(torchArchiveOf(bytes));
        QVERIFY(report);
        QCOMPARE((*report)->samples.samples[0].outputTokens, int64_t(7));
    }

    void bombsAreRefused_data()
    {
        QTest::addColumn<QByteArray>("more");
        QTest::newRow("deep") << QByteArray(100'000, '(');
        QTest::newRow("memo") << QByteArray("r\xFF\xFF\xFF\x7F");
        QTest::newRow("unset memo") << QByteArray("j\xFF\xFF\xFF\x7F");
        QTest::newRow("object without values") << QByteArray("(NR");
        QTest::newRow("object without mark") << QByteArray("t0o");
        QTest::newRow("opcode") << QByteArray("\xFE");
    }
    void bombsAreRefused()
    {
        QFETCH(QByteArray, more);
        const std::string bytes = dumpWith(more.toStdString());
        const Read report = readDump(torchArchiveOf(bytes));
        QVERIFY(!report);
        QVERIFY(!report.error().message.empty());
        // It stays refused where no objects are allowed.
        QVERIFY(!readPickle(bytes, PickleLimits(), Progress()));
    }

    // A length beyond the end of the file is a cut.
    void hugeLengths()
    {
        for (const std::string_view opcode : {"X\xFF\xFF\xFF\x7F", "\x8E\xFF\xFF\xFF\x7F\x01\x01\x01\x01"}) {
            const Read report = readDump(torchArchiveOf(dumpWith(textOp("prompt") + std::string(opcode))));
            if (!report) continue; // beyond the limit
            QVERIFY(noteOf(**report, "file.truncated") != nullptr);
        }
    }

    void truncatedFiles()
    {
        const std::string whole = goldenDump();
        const Read all = readDump(whole);
        QVERIFY(all);
        size_t most = 0;
        for (size_t size = 0; size < whole.size(); size += 97) {
            const Read report = readDump(whole.substr(0, size));
            if (!report) continue;
            const size_t samples = (*report)->samples.samples.size();
            QVERIFY(samples >= most);
            most = samples;
            const bool isSame = samples == (*all)->samples.samples.size() &&
                                (*report)->slices.size() == (*all)->slices.size();
            QVERIFY2(isSame || noteOf(**report, "file.truncated") != nullptr, std::to_string(size).c_str());
        }
        QCOMPARE(most, (*all)->samples.samples.size());
    }

    // Every changed byte of the pickle is noticed, either by its structure or by the checksum.
    void alteredFiles()
    {
        const std::string whole = goldenDump();
        const size_t begin = whole.find("rollout_id") + 40, end = whole.find("PK\x07\x08");
        for (size_t at = begin; at < end; at += 53) {
            std::string bytes = whole;
            bytes[at] = static_cast<char>(bytes[at] ^ 0x11);
            const Read report = readDump(bytes);
            if (!report) continue;
            QVERIFY2(noteOf(**report, "file.damaged") != nullptr ||
                         noteOf(**report, "file.truncated") != nullptr,
                     std::to_string(at).c_str());
        }
        const Read report = readDump(torchArchiveOf(dumpWith(""), {.checksumError = 1}));
        QVERIFY(report);
        QVERIFY(noteOf(**report, "file.damaged") != nullptr);
    }
};

LOCKSTEP_TEST(RolloutDumpTest, "rollout_dump_test")
#include "rollout_dump_test.moc"
