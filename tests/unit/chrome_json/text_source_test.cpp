// SPDX-License-Identifier: Apache-2.0
// Tests random access to compressed text: any position reads the same as from the file's begin, and little of
// the file is decompressed for it.
#include "core/readers/text_source.h"

#include <fstream>

#include <zstd.h>

#include "core/readers/reader.h"
#include "tests/support/gzip_text.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::gzipped;
using lockstep::test::TempDir;

namespace {

// Lines that compress about as well as traces.
std::string someText(size_t size)
{
    std::string text;
    uint64_t state = 7;
    while (text.size() < size) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        text += "{\"ph\":\"X\",\"name\":\"kernel " + std::to_string(state >> 56) +
                "\",\"ts\":" + std::to_string(state >> 20) + "},\n";
    }
    return text;
}

std::string zstandard(std::string_view text)
{
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
    return out;
}

std::string readAll(TextSource& source, size_t step)
{
    std::string text;
    for (size_t got = step; got == step;) {
        text.resize(text.size() + step);
        got = source.read(text.data() + text.size() - step, step).value();
        text.resize(text.size() - (step - got));
    }
    return text;
}

} // namespace

class TextSourceTest : public QObject {
    Q_OBJECT

  private slots:
    void anyPositionReadsTheSame_data()
    {
        QTest::addColumn<QString>("how");
        for (const char* how : {"one member", "members", "small members", "frames", "plain"})
            QTest::newRow(how) << how;
    }
    void anyPositionReadsTheSame()
    {
        QFETCH(QString, how);
        const std::string text = someText(size_t(34) << 20);
        const bool isGzip = how.contains("member");
        const size_t part = how == "one member" ? text.size() : how == "members" ? 20'000'001 : 3'000'017;
        std::string stored;
        for (size_t at = 0; at < text.size(); at += part) {
            const std::string_view piece = std::string_view(text).substr(at, part);
            stored += isGzip ? gzipped(piece) : how == "frames" ? zstandard(piece) : std::string(piece);
        }
        const TempDir folder;
        const auto path = folder.path() / "trace.json";
        std::ofstream(path, std::ios::binary) << stored;
        const auto whole = TextSource::open(path).value();
        QVERIFY(readAll(*whole, 1'000'003) == text);
        QVERIFY(whole->defect().empty());
        const PackedIndex index = whole->takeIndex();
        QVERIFY(how == "plain" ? index.size() == 0 : index.size() >= 3);
        QVERIFY(index.residentBytes() < 10 * 40'000);
        for (const uint64_t place : {uint64_t(0), uint64_t(1), PackedIndex::kSpan_bytes, uint64_t(20'000'000),
                                     uint64_t(20'000'001), uint64_t(19'000'000), text.size() - 5}) {
            const auto source = TextSource::openAt(path, place, &index).value();
            const uint64_t before = source->storedPosition();
            std::string read(4'000'000, '\0');
            read.resize(source->read(read.data(), read.size()).value());
            QVERIFY(read == std::string_view(text).substr(place, 4'000'000));
            QVERIFY(source->defect().empty());
            const PackedPoint* const point = index.before(place);
            const uint64_t from = point != nullptr ? point->stored_bytes : 0;
            if (how != "plain") QVERIFY(before - from < stored.size() / 2);
        }
    }

    // If the file was replaced, the change is reported and no text is shown.
    void changedFilesAreReported()
    {
        const TempDir folder;
        const auto path = folder.path() / "trace.json.gz";
        std::string text = "{\"traceEvents\":[\n";
        for (int i = 0; i < 300'000; ++i)
            text += "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\",\"pid\":1,\"tid\":1,\"ts\":" +
                    std::to_string(10 * i) + ",\"dur\":5,\"args\":{\"row\":" + std::to_string(i) + "}},\n";
        text.resize(text.size() - 2);
        const std::string stored = gzipped(text + "]}");
        std::ofstream(path, std::ios::binary) << stored;
        const auto report = readReport(path, Progress(test::workers())).value();
        QVERIFY(report->packedIndex != nullptr);
        for (const uint32_t row : {0u, 123'456u, 299'999u}) {
            const auto details = readSliceDetails(*report, SliceId(row)).value();
            QVERIFY(std::ranges::find(details.arguments,
                                      std::pair<std::string, std::string>("row", std::to_string(row))) !=
                    details.arguments.end());
        }
        std::string noise = stored;
        for (size_t i = 20; i < noise.size(); ++i)
            noise[i] = static_cast<char>(i * 7919 >> 3);
        std::ofstream(path, std::ios::binary) << noise;
        QCOMPARE(readSliceDetails(*report, SliceId(299'999u)).error().kind, ErrorKind::corrupt);
    }
};

LOCKSTEP_TEST(TextSourceTest, "text_source_test")
#include "text_source_test.moc"
