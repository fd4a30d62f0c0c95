// What files and folders stand for.
#include "core/readers/report_search.h"

#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr const char* kTrace = "{\"traceEvents\": [{\"ph\": \"X\", \"ts\": 1, \"dur\": 2, \"name\": \"a\"}]}";

std::vector<std::string> namesOf(const std::vector<std::filesystem::path>& paths)
{
    std::vector<std::string> names;
    for (const auto& path : paths)
        names.push_back(path.filename().string());
    return names;
}

} // namespace

class ReportSearchTest : public QObject {
    Q_OBJECT

  private slots:
    void foldersAreToldApartByContent()
    {
        const test::TempDir folder;
        folder.write("b/trace.txt", kTrace);
        folder.write("a.json", kTrace);
        folder.write("notes.json", "no trace at all");
        folder.write("empty", "");
        const FoundReports found = *findReports({folder.path()}, Progress());
        QCOMPARE(namesOf(found.reports), (std::vector<std::string>{"a.json", "trace.txt"}));
        QCOMPARE(found.passedOver.size(), size_t(2));
    }

    void filesAreTakenAsTheyAreAndOnce()
    {
        const test::TempDir folder;
        const auto trace = folder.write("a.json", kTrace);
        const FoundReports found =
            *findReports({"absent", trace, folder.path(), folder.path() / "." / "a.json"}, Progress());
        QCOMPARE(namesOf(found.reports), (std::vector<std::string>{"absent", "a.json"}));
        QCOMPARE(found.passedOver.size(), size_t(2));
        QCOMPARE(found.passedOver[0].reason, std::string("given more than once"));
    }

    void anExportStandsForItsReport()
    {
        const test::TempDir folder;
        folder.write("run.nsys-rep", "NVIDIA Tegra Profiler Report 1.");
        folder.write("run.sqlite", kTrace);
        const FoundReports found = *findReports({folder.path()}, Progress());
        QCOMPARE(namesOf(found.reports), (std::vector<std::string>{"run.sqlite"}));
        QCOMPARE(found.passedOver[0].reason, std::string("its SQLite export stands beside it"));
    }
};

LOCKSTEP_TEST(ReportSearchTest, "report_search_test")
#include "report_search_test.moc"
