// SPDX-License-Identifier: Apache-2.0
// Tests damaged traces: a fault costs the event that it hits and few others, every byte between the first and
// the last event is accounted for, and the time is linear in the size of the text, whatever it contains.
#include <algorithm>
#include <cctype>
#include <functional>

#include <time.h>

#include "core/readers/reader.h"
#include "tests/support/cpu_timer.h"
#include "tests/support/damage.h"
#include "tests/support/damage_account.h"
#include "tests/support/gzip_text.h"
#include "tests/support/report_of_bytes.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/trace_writer.h"
#include "tests/support/zstd_text.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr size_t kHeader = 256; // not damaged: the header is tested separately

std::string fileText(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// A trace as PyTorch writes it, or without line breaks and blanks as json.dump(separators=(",", ":")) does.
std::string traceText(size_t events, bool isCompact)
{
    const TempDir folder;
    writeKinetoTrace(folder.path() / "trace.json", events);
    std::string text = fileText(folder.path() / "trace.json");
    if (!isCompact) return text;
    std::string compact;
    bool inText = false;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) inText = !inText;
        if (inText || std::isspace(static_cast<unsigned char>(text[i])) == 0) compact += text[i];
    }
    return compact;
}

std::string repeated(const std::string& part, size_t size)
{
    std::string out;
    while (out.size() < size)
        out += part;
    return out;
}

// Measures the CPU time of all threads, best of three, so that other programs on the machine don't count.
double secondsToRead(const std::string& bytes)
{
    const TempDir folder;
    const std::filesystem::path path = folder.write("trace.json", bytes);
    double best = 1e9;
    for (int round = 0; round < 3; ++round) {
        const double start = cpuSeconds();
        (void)readReport(path, Progress());
        best = std::min(best, cpuSeconds() - start);
    }
    return best;
}

const std::string kHead = "{\"traceEvents\": [{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":2,\"ts\":1},";
const std::string kEvent =
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::linear\",\"pid\":1,\"tid\":2,\"ts\":12.125,\"dur\":3,"
    "\"args\":{\"External id\":1,\"Input Dims\":[[1,2],[]]}},";

} // namespace

class DamagedJsonTest : public QObject {
    Q_OBJECT

  private slots:
    void flipsCostLittle_data()
    {
        QTest::addColumn<bool>("isCompact");
        QTest::addColumn<int>("kind");
        QTest::addColumn<uint64_t>("seed");
        for (const bool isCompact : {false, true}) {
            for (const Damage kind : {Damage::flippedBits, Damage::otherBytes}) {
                for (const uint64_t seed : {1u, 2u}) {
                    QTest::addRow("%s %s %d", isCompact ? "compact" : "pretty", damageName(kind), int(seed))
                        << isCompact << int(kind) << seed;
                }
            }
        }
    }

    // 300 flips in 20 MB.
    void flipsCostLittle()
    {
        QFETCH(bool, isCompact);
        QFETCH(int, kind);
        QFETCH(uint64_t, seed);
        constexpr size_t kFaults = 300;
        const std::string whole = traceText(isCompact ? 120'000 : 66'000, isCompact);
        const auto before = reportOfBytes(whole);
        QVERIFY(before && before->notes.all().empty());
        const auto report = reportOfBytes(damaged(whole, Damage(kind), kFaults, seed, kHeader));
        QVERIFY(report != nullptr);
        const size_t kept = report->slices.size();
        const auto account = DamageAccount::of(*report);
        QVERIFY2(account.isWhole(), account.text().c_str());
        const size_t missing = before->slices.size() > kept ? before->slices.size() - kept : 0;
        qInfo("%zu MB, %zu of %zu slices stay; %s", whole.size() >> 20, kept, before->slices.size(),
              account.text().c_str());
        QVERIFY2(missing <= 2 * kFaults, account.text().c_str());
        // A third of the events are slices of at least 150 bytes: each loss is counted in bytes or in a note
        // of the row.
        QVERIFY2(missing * 150 <= account.lost + account.lostRows * 150, account.text().c_str());
    }

    void everyDamage_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("packing");
        for (int kind = 0; kind < int(Damage::count); ++kind) {
            for (const char* packing : {"plain", "gzip", "zstd"})
                QTest::addRow("%s %s", packing, damageName(Damage(kind))) << kind << QString(packing);
        }
    }

    // The result is a report with a complete account, or an error.
    void everyDamage()
    {
        QFETCH(int, kind);
        QFETCH(QString, packing);
        for (const bool isCompact : {false, true}) {
            const std::string text = traceText(3000, isCompact);
            const std::string packed = packing == "gzip"   ? gzipped(text)
                                       : packing == "zstd" ? zstdOf(text)
                                                           : text;
            for (uint64_t seed = 0; seed < 12; ++seed) {
                const auto report = reportOfBytes(damaged(packed, Damage(kind), 1 + seed % 4, seed));
                if (!report) continue;
                const auto account = DamageAccount::of(*report);
                QVERIFY2(account.isWhole(), account.text().c_str());
                QVERIFY2(packing == "gzip" || report->slices.size() > 1990 || !report->notes.all().empty(),
                         account.text().c_str());
            }
        }
    }

    // Segments of two traces joined together: all events of both are present.
    void joinedTraces()
    {
        const std::string one = traceText(1200, true);
        const size_t slices = reportOfBytes(one)->slices.size();
        const auto twice = reportOfBytes(one + one);
        QCOMPARE(twice->slices.size(), 2 * slices);
        QVERIFY(noteCount(*twice, "file.joined") + noteCount(*twice, "events.lost") > 0);
        const size_t first = one.find('[') + 1, last = one.rfind(']');
        const std::string events = one.substr(first, last - first);
        QCOMPARE(reportOfBytes("[" + events + "][" + events + "]")->slices.size(), 2 * slices);
        // The header's own key is damaged, or all bytes before the first event are zeros.
        std::string header = one;
        header.replace(header.find("traceEvents"), 11, "tracFEvents");
        QCOMPARE(reportOfBytes(header)->slices.size(), slices);
        QCOMPARE(noteCount(*reportOfBytes(header), "events.out_of_place"), uint64_t(1));
        QCOMPARE(reportOfBytes(std::string(first, '\0') + one.substr(first))->slices.size(), slices);
    }

    void timeIsLinear_data()
    {
        QTest::addColumn<QByteArray>("part");
        const auto add = [](const char* name, const std::string& part) {
            QTest::newRow(name) << QByteArray::fromStdString(part);
        };
        std::string quoteLost = kEvent, braceLost = kEvent, bracketTooMany = kEvent;
        quoteLost.erase(quoteLost.find("linear\"") + 6, 1);
        braceLost.erase(braceLost.rfind('}'), 1);
        bracketTooMany.insert(bracketTooMany.size() - 1, "]");
        add("a quote lost in each event", quoteLost);
        add("a brace lost in each event", braceLost);
        add("a bracket too many in each event", bracketTooMany);
        add("every other event damaged", kEvent + quoteLost);
        add("events that never close", "{\"ph\":\"X\",\"name\":\"a\",\"args\":{");
        add("events in an open string", "{\"ph\":\"X\",\"name\":\"a");
        add("braces", "{");
        add("brackets", "[");
        add("closing brackets", "],");
        add("closing braces", "},");
        add("quotes", "\"");
        add("quotes and blanks", "\"   ");
        add("backslashes", "\\");
        add("objects that are no events", "{\"x\":1},");
        add("open objects that are no events", "{\"x\":");
        add("event keys without a phase", "{\"name\":1},");
        add("zeros", std::string(64, '\0'));
        add("numbers", "1,");
    }

    void timeIsLinear()
    {
        QFETCH(QByteArray, part);
        constexpr size_t kSize = 3 << 20;
        static const double whole = secondsToRead(kHead + repeated(kEvent, kSize) + "null]}");
        const std::string behind = kEvent + "null]}";
        const std::string half = kHead + repeated(part.toStdString(), kSize) + behind;
        const std::string full = kHead + repeated(part.toStdString(), 2 * kSize) + behind;
        // Other programs slow down one of the two now and then; superlinear time would be slow in each try.
        bool isLinear = false;
        for (int attempt = 0; attempt < 3 && !isLinear; ++attempt) {
            const double once = secondsToRead(half), twice = secondsToRead(full);
            qInfo("%.0f ms, twice as much %.0f ms; undamaged %.0f ms", once * 1e3, twice * 1e3, whole * 1e3);
            // The first use of large blocks is slow on some virtual machines. Quadratic time would be hours.
            constexpr double kPages_s = 0.4;
            isLinear = twice < 3.2 * once + kPages_s && once < 25 * whole + kPages_s;
        }
        QVERIFY(isLinear);
    }

    // A deflate block that repeatedly decompresses to other text than was compressed.
    void damagedGzipIsLinear()
    {
        const auto seconds = [](size_t size) {
            const std::string packed = gzipped(kHead + repeated(kEvent, size) + "null]}");
            double worst = 0;
            for (uint64_t seed = 0; seed < 6; ++seed)
                worst = std::max(worst, secondsToRead(damaged(packed, Damage::otherBytes, 1, seed, 300)));
            return worst;
        };
        const double once = seconds(8 << 20), twice = seconds(16 << 20);
        qInfo("%.0f ms, twice as much %.0f ms", once * 1e3, twice * 1e3);
        QVERIFY(twice < 4 * once + 0.1);
        QVERIFY(once < 5);
    }
};

LOCKSTEP_TEST(DamagedJsonTest, "damaged_json_test")
#include "damaged_json_test.moc"
