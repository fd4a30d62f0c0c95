// SPDX-License-Identifier: Apache-2.0
// Tests a batch whose output is on a full or read-only disk: the error is reported, nothing is half written,
// and the next start continues once there is room.
#include <sys/mount.h>

#include "tests/support/batch_site.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::BatchSite;
using lockstep::test::ProgramRun;
using lockstep::test::SmallDisk;

namespace fs = std::filesystem;

class BatchDiskTest : public QObject {
    Q_OBJECT

  private slots:
    void fullDisk()
    {
        BatchSite site;
        for (int rank = 0; rank < 12; ++rank)
            site.addTrace("reports/rank" + std::to_string(rank) + ".json", rank, 2'000);
        site.writePlan("tasks: 4\nretries: 1\n");
        const SmallDisk disk(site.folder() / "out", "600k");
        if (!disk.isMounted) QSKIP("this user may not mount");
        const ProgramRun full = site.batch();
        QCOMPARE(full.status, 1);
        // One sentence, and no second attempt.
        QCOMPARE(full.errorLines().size(), 1);
        QVERIFY2(full.errors.contains("out/.batch: disk full (No space left on device); "), full.errors);
        QVERIFY2(
            full.errors.contains("are done and kept. Free space on that disk, or set 'output' to a folder"),
            full.errors);
        QVERIFY(site.tables().empty());
        QVERIFY(site.resultCount() > 0 && site.resultCount() < 12);
        for (const auto& entry : fs::recursive_directory_iterator(site.folder() / "out"))
            QVERIFY2(entry.path().extension() != ".part", entry.path().c_str());
        const auto before = site.resultInodes();
        QCOMPARE(::mount("tmpfs", (site.folder() / "out").c_str(), "tmpfs", MS_REMOUNT, "size=64m"), 0);
        const ProgramRun next = site.batch();
        QVERIFY2(next.status == 0, next.errors);
        QVERIFY(site.tables() ==
                site.exported({"inventory,cuda_gpu_kern_sum", "--format", "json", "reports"}));
        for (const auto& [name, inode] : before)
            QCOMPARE(site.resultInodes().at(name), inode);
    }

    void readOnlyDisk()
    {
        BatchSite site;
        site.addTrace("reports/rank0.json", 0);
        site.writePlan("");
        const SmallDisk disk(site.folder() / "out", "1m", MS_RDONLY);
        if (!disk.isMounted) QSKIP("this user may not mount");
        const ProgramRun run = site.batch();
        QCOMPARE(run.status, 1);
        QVERIFY2(run.errors.contains("out/.batch: cannot be created: Read-only file system"), run.errors);
        QCOMPARE(run.errorLines().size(), 1);
    }
};

LOCKSTEP_TEST(BatchDiskTest, "batch_disk_test")
#include "batch_disk_test.moc"
