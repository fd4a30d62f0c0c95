// SPDX-License-Identifier: Apache-2.0
// Compares reports, as text, that are read from small traces: every phase, every kind of damage.
#include <fstream>
#include <iterator>

#include "core/readers/reader.h"
#include "tests/support/gzip_text.h"
#include "tests/support/places.h"
#include "tests/support/slice_text.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "tests/support/zstd_text.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

std::string fileText(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the report of a file with these bytes, or "error KIND: MESSAGE" without the folder.
std::string opened(const std::string& bytes)
{
    const TempDir folder;
    const auto report = readReport(folder.write("trace", bytes), Progress(test::workers()));
    if (report) return sliceText(**report);
    std::string message = report.error().message;
    message.erase(0, message.find("/trace: ") + 8);
    return "error " + std::string(errorKindName(report.error().kind)) + ": " + message;
}

std::string events(const std::string& list)
{
    return "{\"traceEvents\": [" + list + "]}";
}

const std::string kFirst = "{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":2,\"ts\":10,\"dur\":5}";
const std::string kSecond = "{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":2,\"ts\":11.5,\"dur\":0.25}";
const std::string kTrack = "track other pid 1 tid 2\n";

void compareText(const std::string& got, const std::string& want)
{
    QVERIFY2(got == want, ("got:\n" + got + "expected:\n" + want).c_str());
}

} // namespace

class ChromeJsonGoldenTest : public QObject {
    Q_OBJECT

  private slots:
    void smallTraces_data()
    {
        QTest::addColumn<std::string>("name");
        for (const char* name : {"kineto_rows", "all_phases"})
            QTest::newRow(name) << std::string(name);
    }

    void smallTraces()
    {
        QFETCH(std::string, name);
        const std::filesystem::path folder = sourceFolder() / "tests/golden/chrome_json";
        compareText(opened(fileText(folder / (name + ".json"))), fileText(folder / (name + ".txt")));
    }

    void damagedEvents_data()
    {
        QTest::addColumn<std::string>("event");
        QTest::addColumn<std::string>("slice");
        QTest::addColumn<std::string>("note");
        const std::string repaired = "note event.repaired (warning) 1 byte 71\n";
        const auto add = [](const char* name, const char* event, const char* slice, const std::string& note) {
            QTest::newRow(name) << std::string(event) << std::string(slice) << note;
        };
        add("quote in name", "{\"ph\":\"X\",\"name\":\"f \"x\" y\",\"pid\":1,\"tid\":2,\"ts\":12,\"dur\":1}",
            "12000 +1000 span \"f \"x\" y\" @71", repaired);
        add("odd quotes", "{\"ph\":\"X\",\"name\":\"f \"x y\",\"pid\":1,\"tid\":2,\"ts\":12,\"dur\":1}",
            "12000 +1000 span \"f \"x y\" @71", repaired);
        add("unknown escape", "{\"ph\":\"X\",\"name\":\"C:\\dir\",\"pid\":1,\"tid\":2,\"ts\":12,\"dur\":1}",
            "12000 +1000 span \"C:\\dir\" @71", "note text.escape (warning) 1 byte 71\n");
        add("control character", "{\"ph\":\"X\",\"name\":\"a\nb\",\"pid\":1,\"tid\":2,\"ts\":12,\"dur\":1}",
            "12000 +1000 span \"a\nb\" @71", repaired);
        add("invalid UTF-8", "{\"ph\":\"X\",\"name\":\"\xFF\",\"pid\":1,\"tid\":2,\"ts\":12,\"dur\":1}",
            "12000 +1000 span \"\uFFFD\" @71", repaired);
        add("trailing comma", "{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":2,\"ts\":12,\"dur\":1,}",
            "12000 +1000 span \"c\" @71", repaired);
        add("negative duration", "{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":2,\"ts\":12,\"dur\":-1}",
            "12000 +0 span \"c\" @71 flags 4", "note row.negative_duration (warning) 1 byte 71\n");
        add("broken duration", "{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":2,\"ts\":12,\"dur\":-1.-500}",
            "12000 +0 span \"c\" @71 flags 4", "note row.no_duration (warning) 1 byte 71\n");
        add("stamps as text", "{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":2,\"ts\":\"12\",\"dur\":\"1\"}",
            "12000 +1000 span \"c\" @71", "");
        const std::string notFinite = "note value.not_finite (warning) 1 byte 71\n";
        for (const char* value : {"NaN", "nan", "Infinity", "inf", "-inf", "-Infinity"}) {
            const std::string event = "{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":2,\"ts\":12,\"dur\":1,"
                                      "\"args\":{\"memory bandwidth (GB/s)\":" +
                                      std::string(value) + "}}";
            add(value, event.c_str(), "12000 +1000 span \"c\" @71", notFinite);
        }
        add("no stamp", "{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":2,\"dur\":1}", "",
            "note row.no_time (data loss) 1 byte 71\n");
        add("no phase", "{\"name\":\"c\",\"pid\":1,\"tid\":2,\"dur\":1}", "",
            "note phase.unknown (data loss) 1 byte 71\n");
        add("no object", "null", "", "note event.not_object (warning) 1 byte 71\n");
        add("hostile depth",
            "{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":2,\"ts\":12,\"dur\":1,\"args\":{\"deep\":@}}",
            "12000 +1000 span \"c\" @71", "");
    }

    void damagedEvents()
    {
        QFETCH(std::string, event);
        QFETCH(std::string, slice);
        QFETCH(std::string, note);
        const size_t deep = event.find('@');
        if (deep != std::string::npos)
            event.replace(deep, 1, std::string(5000, '[') + std::string(5000, ']'));
        const std::string text = opened(events(kFirst + "," + event + "," + kSecond));
        QVERIFY2(text.find("10000 +5000 span \"a\" @17") != std::string::npos, text.c_str());
        QVERIFY2(text.find("11500 +250 span \"b\"") != std::string::npos, text.c_str());
        QVERIFY2(text.find(slice) != std::string::npos, text.c_str());
        const size_t at = text.find("note ");
        compareText(at == std::string::npos ? "" : text.substr(at), note);
    }

    void truncatedFiles_data()
    {
        QTest::addColumn<std::string>("bytes");
        QTest::addColumn<std::string>("note");
        const std::string whole = events(kFirst + "," + kSecond);
        const std::string packed = gzipped("{\"a\":\"" + std::string(100, 'x') + "\",\"traceEvents\":[" +
                                           kFirst + "," + kSecond + "," + kFirst);
        const auto add = [](const char* name, const std::string& bytes, const std::string& note) {
            QTest::newRow(name) << bytes << note;
        };
        add("inside an event", whole.substr(0, whole.size() - 10),
            "note file.truncated (data loss) 1 byte 121\n");
        add("behind an event", whole.substr(0, whole.size() - 2),
            "note file.truncated (data loss) 1 byte 129\n");
        add("inside the outer object", whole.substr(0, whole.size() - 1),
            "note file.truncated (data loss) 1 byte 130\n");
        add("bare array without its end", "[" + kFirst + ",\n" + kSecond + ",\n",
            "note file.open_end (info) 1 byte 116\n");
        add("two gzip members", gzipped(whole.substr(0, 40)) + gzipped(whole.substr(40)), "");
        add("gzip with zeros behind", gzipped(whole) + std::string(512, '\0'), "");
        add("zstd", zstdOf(whole), "");
        add("two zstd frames", zstdOf(whole.substr(0, 40)) + zstdOf(whole.substr(40)), "");
        add("an extra comma", events(kFirst + ",," + kSecond + ","),
            "note event.not_object (warning) 1 byte 71\n");
        add("byte order mark", "\xEF\xBB\xBF" + whole, "");
    }

    void truncatedFiles()
    {
        QFETCH(std::string, bytes);
        QFETCH(std::string, note);
        const std::string text = opened(bytes);
        QVERIFY2(text.find("10000 +5000 span \"a\" @") != std::string::npos, text.c_str());
        const size_t at = text.find("note ");
        compareText(at == std::string::npos ? "" : text.substr(at), note);
    }

    void truncatedGzipKeepsCompleteEvents()
    {
        std::string text = "{\"traceEvents\":[";
        for (int i = 0; i < 5000; ++i) {
            text += "{\"ph\":\"X\",\"name\":\"n" + std::to_string(i * 7919 % 1000) +
                    "\",\"pid\":1,\"tid\":2,\"ts\":" + std::to_string(i) + "},";
        }
        const std::string packed = gzipped(text + kFirst + "]}");
        const std::string got = opened(packed.substr(0, packed.size() / 2));
        QVERIFY2(got.find("note file.truncated (data loss) 1 byte ") != std::string::npos, got.c_str());
        QVERIFY(std::count(got.begin(), got.end(), '\n') > 1000);
    }

    // Arrays of log lines used to end with a comma.
    void trailingCommaInTheHeader()
    {
        const std::string text = opened("{\"ERROR\":[\"lost it\",],\"traceEvents\":[" + kFirst + "]}");
        QVERIFY2(text.find("10000 +5000 span \"a\"") != std::string::npos, text.c_str());
        QVERIFY2(text.find("note kineto.error") != std::string::npos, text.c_str());
    }

    void unreadableFiles()
    {
        compareText(opened("{\"traceEvents\": []}").substr(0, 45),
                    "error corrupt: contains no trace events; prof");
        compareText(opened("{\"schemaVersion\": 1}"),
                    "error unsupported: JSON without trace events, not a trace");
        compareText(opened("{\"hello\": 1}").substr(0, 51),
                    "error unsupported: not a recognized profiler report");
        compareText(opened("[1, 2, 3]").substr(0, 51), "error unsupported: not a recognized profiler report");
        compareText(opened("\x1F\x8B" + std::string(100, 'x')),
                    "error corrupt: cannot be decompressed; the file is damaged. Copy it again");
        compareText(opened(gzipped("{\"traceEvents\": [" + std::string(90, ' ') + kFirst).substr(0, 40)),
                    "error corrupt: cut short before its first complete event; copy it again");
    }

    void detailsContainEverything()
    {
        const std::string event =
            "{\"ph\":\"X\",\"name\":\"k "
            "\\\"v\\\"\",\"cat\":\"kernel\",\"pid\":0,\"tid\":7,\"ts\":1.50,\"args\":{\"id\":"
            "18446744073709551617,\"grid\":[1, 2,3],\"s\":\"\\u00e9\",\"bw\":inf,\"n\":{\"a\":1.10}}}";
        const TempDir folder;
        for (const std::string& bytes :
             {events(kFirst + "," + event), gzipped(events(kFirst + "," + event))}) {
            const auto report = readReport(folder.write("trace", bytes), Progress(test::workers()));
            QVERIFY(report.has_value());
            SliceId slice(0u);
            while ((*report)->nameOf(slice) != "k \"v\"")
                ++slice.value;
            const auto details = readSliceDetails(**report, slice);
            QVERIFY(details.has_value());
            std::string text = details->source;
            for (const auto& [key, value] : details->arguments)
                text += "|" + key + "=" + value;
            compareText(text,
                        "byte 71|ph=X|name=k "
                        "\"v\"|cat=kernel|pid=0|tid=7|ts=1.50|id=18446744073709551617|grid=[1, 2,3]|s=é|"
                        "bw=inf|n={\"a\":1.10}");
            (void)folder.write("trace", "{}");
            QVERIFY(!readSliceDetails(**report, slice).has_value());
        }
    }
};

LOCKSTEP_TEST(ChromeJsonGoldenTest, "chrome_json_golden_test")
#include "chrome_json_golden_test.moc"
