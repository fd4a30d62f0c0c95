// SPDX-License-Identifier: Apache-2.0
// Compares forecastMemory_bytes() with the memory that real files take once they are open.
#include "core/lanes/report_lod.h"
#include "core/readers/reader.h"
#include "core/readers/report_search.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

class MemoryForecastTest : public QObject {
    Q_OBJECT

  private slots:
    void realFilesAreCloseToTheForecast()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto found = findReports({test::sharedData("nsys"), test::sharedData("kineto")}, Progress());
        QVERIFY(found);
        size_t near = 0, all = 0;
        for (size_t i = 0; i < found->reports.size(); ++i) {
            const FoundFile& file = found->files[i];
            if (file.size_bytes < 150'000 || file.size_bytes > 40'000'000) continue;
            const auto opened = readReports(found->reports[i], Progress(test::workers()));
            if (!opened || opened->size() != 1) continue;
            const Report& report = opened->report(ReportKey(size_t(0)));
            const uint64_t used_bytes =
                report.residentBytes() + buildLod(report, test::workers())->residentBytes();
            const double ratio = static_cast<double>(used_bytes) / static_cast<double>(file.memory_bytes);
            ++all;
            near += ratio > 0.4 && ratio < 2; // a high forecast does less harm
            qInfo("%s %s: file %llu, forecast %llu, taken %llu, ratio %.2f", file.kind.c_str(),
                  found->reports[i].filename().c_str(), static_cast<unsigned long long>(file.size_bytes),
                  static_cast<unsigned long long>(file.memory_bytes),
                  static_cast<unsigned long long>(used_bytes), ratio);
        }
        QVERIFY(all >= 5);
        QVERIFY2(near * 3 >= all * 2, qPrintable(QString("%1 of %2 are near").arg(near).arg(all)));
    }
};

LOCKSTEP_TEST(MemoryForecastTest, "memory_forecast_test")
#include "memory_forecast_test.moc"
