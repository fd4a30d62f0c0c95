// SPDX-License-Identifier: Apache-2.0
// Tests every public file with every kind of damage: the result is a report that lists what is missing, or an
// error. It never crashes, and never takes much longer than the whole file.
#include <algorithm>

#include <time.h>

#include "core/readers/reader.h"
#include "tests/support/cpu_timer.h"
#include "tests/support/damage.h"
#include "tests/support/damage_account.h"
#include "tests/support/gzip_text.h"
#include "tests/support/places.h"
#include "tests/support/report_of_bytes.h"
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

std::string unpacked(const std::string& packed)
{
    z_stream stream = {};
    inflateInit2(&stream, 15 + 16);
    std::string out(packed.size() * 60 + 65536, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    inflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    inflateEnd(&stream);
    return out;
}

size_t rowsOf(const Report& report)
{
    return report.slices.size() + report.counters.size() +
           (report.memory ? report.memory->entries.size() + report.memory->segments.size() : 0);
}

// Reads what a window would first request of a report.
void check(const std::string& bytes, Damage kind, size_t wholeRows, const std::string& what)
{
    const TempDir folder;
    const auto report = readReport(folder.write("file", bytes), Progress(test::workers()));
    if (!report) {
        QVERIFY2(!report.error().message.empty(), what.c_str());
        return;
    }
    const auto account = DamageAccount::of(**report);
    QVERIFY2(account.isWhole(), (what + ": " + account.text()).c_str());
    for (size_t i = 0; i < (*report)->slices.size(); i += 97)
        (void)(*report)->nameOf(SliceId(uint32_t(i)));
    const bool isSilent = !(*report)->notes.hasDataLoss();
    const bool isMissing = rowsOf(**report) < wholeRows / 2 && wholeRows > 100;
    QVERIFY2(!(isSilent && isMissing && kind == Damage::cut), (what + ": cut without a word").c_str());
}

} // namespace

class DamagedFilesTest : public QObject {
    Q_OBJECT

  private slots:
    void everyFileEveryDamage_data()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        QTest::addColumn<QString>("path");
        for (const char* folder : {"kineto", "ascend", "ray", "memory", "perfetto", "nsys"}) {
            for (const auto& entry : std::filesystem::recursive_directory_iterator(sharedData(folder))) {
                if (!entry.is_regular_file()) continue;
                const std::string name = entry.path().lexically_relative(sharedData()).string();
                QTest::newRow(name.c_str()) << QString::fromStdString(entry.path().string());
            }
        }
    }

    void everyFileEveryDamage()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        QFETCH(QString, path);
        const std::string whole = fileText(path.toStdString());
        const std::string name =
            std::filesystem::path(path.toStdString()).lexically_relative(sharedData()).string();
        double begin = cpuSeconds();
        const auto report = reportOfBytes(whole);
        const double wholeSeconds = cpuSeconds() - begin;
        const size_t rows = report ? rowsOf(*report) : 0;
        const bool isPacked = whole.starts_with("\x1F\x8B");
        const std::string text = isPacked ? unpacked(whole) : std::string();
        for (int kind = 0; kind < int(Damage::count); ++kind) {
            const auto one = Damage(kind);
            const std::string what = std::string(damageName(one)) + " in " + name;
            // Seeded by the name below the shared folder: the damage is the same wherever the checkout is.
            const uint64_t seed = std::hash<std::string>()(what);
            begin = cpuSeconds();
            check(damaged(whole, one, 1 + seed % 3, seed), one, rows, what);
            if (isPacked) {
                const std::string mixed = damaged(text, one, 1 + seed % 8, seed);
                check(mixed, one, rows, what + ", unpacked");
                if (seed % 4 == 0) check(gzipped(mixed), one, rows, what + ", packed again");
                if (seed % 4 == 1) check(zstdOf(mixed), one, rows, what + ", packed as zstd");
            }
            QVERIFY2(cpuSeconds() - begin < 12 * wholeSeconds + 2, what.c_str());
        }
    }
};

LOCKSTEP_TEST(DamagedFilesTest, "damaged_files_test")
#include "damaged_files_test.moc"
