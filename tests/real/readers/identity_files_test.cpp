// SPDX-License-Identifier: Apache-2.0
// Tests the identities of public files whose names and content differ.
#include "core/analysis/scope.h"
#include "core/readers/reader.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

class IdentityFilesTest : public QObject {
    Q_OBJECT

  private slots:
    // The names give step 12; the only step inside is ProfilerStep#10.
    void stepsInTheContentOverrideNames()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto path = sharedData("kineto/dlrm_8ranks/worker3_step_12.1694128201557.pt.trace.json.gz");
        Workspace workspace;
        const auto report = readReport(path, Progress(test::workers()));
        QVERIFY(report);
        workspace.add(*report);
        QCOMPARE((*report)->identity.step.value, std::optional(10));
        QCOMPARE((*report)->identity.rank.value, std::optional(3));
        const auto& notes = (*report)->notes.all();
        QVERIFY(std::ranges::any_of(notes, [](const ImportNote& note) {
            return note.kind == "identity.conflict" &&
                   note.example.starts_with("step: 10 (ProfilerStep#N), not 12");
        }));
        for (const char* step : {"10", "12"}) {
            Scope scope;
            QVERIFY(scope.addFilter("step", step));
            QVERIFY(isInScope(scope, workspace, ReportKey(0u), ProcessId()));
        }
    }
};

LOCKSTEP_TEST(IdentityFilesTest, "identity_files_test")
#include "identity_files_test.moc"
