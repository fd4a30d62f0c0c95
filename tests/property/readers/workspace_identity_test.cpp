// SPDX-License-Identifier: Apache-2.0
// Tests that saving and reopening is an identity, for any reports and any sections.
#include <rapidcheck.h>

#include "core/readers/workspace_file/workspace_file.h"
#include "tests/support/random_report.h"
#include "tests/support/report_compare.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class WorkspaceIdentityTest : public QObject {
    Q_OBJECT

  private slots:
    void saveAndReopen()
    {
        const lockstep::test::TempDir folder;
        const auto path = folder.path() / "w.lockstep";
        QVERIFY(rc::check("a workspace reopens as it was saved", [&] {
            Workspace workspace;
            const int reports = *rc::gen::inRange(0, 3);
            for (int i = 0; i < reports; ++i)
                workspace.add(lockstep::test::randomReport());
            const auto sections = *rc::gen::arbitrary<std::map<std::string, std::string>>();
            const auto columns = *rc::gen::element(StoredColumns::packed, StoredColumns::raw);
            const auto saved = saveWorkspaceFile(path, workspace, sections, Progress(), columns);
            if (!saved) RC_FAIL(saved.error().message);
            const auto opened = openWorkspaceFile(path, Progress());
            if (!opened) RC_FAIL(opened.error().message);
            RC_ASSERT(opened->workspace.size() == workspace.size());
            RC_ASSERT(opened->sections == sections);
            for (size_t i = 0; i < workspace.size(); ++i) {
                const std::string difference = lockstep::test::firstDifference(
                    workspace.report(ReportKey(i)), opened->workspace.report(ReportKey(i)));
                RC_ASSERT(difference == "");
            }
        }));
    }
};

LOCKSTEP_TEST(WorkspaceIdentityTest, "workspace_identity_test")
#include "workspace_identity_test.moc"
