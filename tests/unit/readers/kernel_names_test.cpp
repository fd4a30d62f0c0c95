// SPDX-License-Identifier: Apache-2.0
// Tests kernel names: names that are missing in the export's table of texts, and names that mean
// communication.
#include "core/readers/reader.h"
#include "core/trace/row_kind.h"
#include "tests/support/nsys_sql.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

class KernelNamesTest : public QObject {
    Q_OBJECT

  private slots:
    // Rows reference StringIds 77 and 78, which do not exist; the last row has none, which is not an error.
    void missingNamesAreReportedAndNumbered()
    {
        const TempDir folder;
        const auto path = folder.path() / "names.sqlite";
        QVERIFY(runSql(path, kSessionSql + R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId INT, streamId INT,
  correlationId INT, globalPid INT, demangledName INT, shortName INT);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(100, 150, 0, 1, 7, 50, 281476654432256, 1, 2),
  (160, 200, 0, 1, 7, 51, 281476654432256, 77, 78), (210, 220, 0, 1, 7, 52, 281476654432256, 77, 2),
  (230, 240, 0, 1, 7, 53, 281476654432256, 1, 78), (250, 260, 0, 1, 7, 54, 281476654432256, 78, 78),
  (270, 280, 0, 1, 7, 55, 281476654432256, NULL, NULL);
)"));
        const auto report = readReport(path, Progress(test::workers()));
        QVERIFY(report);
        std::vector<std::string> names;
        for (size_t i = 0; i < (*report)->slices.size(); ++i)
            names.emplace_back((*report)->nameOf(SliceId(i)));
        QCOMPARE(names, (std::vector<std::string>{"gemm<float>(float*)", "[name 77 missing]", "gemm",
                                                  "gemm<float>(float*)", "[name 78 missing]", ""}));
        const auto& notes = (*report)->notes.all();
        const auto note = std::ranges::find(notes, "name.missing", &ImportNote::kind);
        QVERIFY(note != notes.end());
        QCOMPARE(note->count, uint64_t(2));
        QCOMPARE(note->example, std::string("CUPTI_ACTIVITY_KIND_KERNEL row 2"));
    }

    void deepEpIsCommunication()
    {
        for (const char* name : {"void dpsk::ep::dispatch<4, 8>(int*, float)", "dpsk::ep::combine",
                                 "void deep_ep::internode::notify_dispatch<false>()"}) {
            QVERIFY2(kernelCategory(name) == SliceCategory::communication, name);
        }
        QVERIFY(kernelCategory("void dpsk::gemm::kernel()") == SliceCategory::compute);
    }
};

LOCKSTEP_TEST(KernelNamesTest, "kernel_names_test")
#include "kernel_names_test.moc"
