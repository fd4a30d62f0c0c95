// SPDX-License-Identifier: Apache-2.0
// Compares the report that is read from a small Ascend profiler database, given as SQL: tasks,
// communications, calls, ops, steps, rank.
#include <algorithm>

#include "core/align/step_markers.h"
#include "core/readers/reader.h"
#include "tests/support/damage_account.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

// Schema as torch_npu writes it: PYTORCH_API's times are text. Process 77, thread 78; NPU 3 is rank 5.
const char* const kDatabase = R"(
CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE ENUM_API_TYPE (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE ENUM_HCCL_DATA_TYPE (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER,
  globalPid INTEGER, taskType INTEGER, contextId INTEGER, streamId INTEGER, taskId INTEGER, modelId INTEGER);
CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, globalTaskId INTEGER PRIMARY KEY, taskType INTEGER, opType INTEGER);
CREATE TABLE COMMUNICATION_TASK_INFO (name INTEGER, globalTaskId INTEGER, taskType INTEGER, groupName INTEGER);
CREATE TABLE COMMUNICATION_OP (opName INTEGER, startNs INTEGER, endNs INTEGER, connectionId INTEGER, groupName
  INTEGER, opId INTEGER PRIMARY KEY, dataType INTEGER, algType INTEGER, count NUMERIC, opType INTEGER);
CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER, connectionId INTEGER PRIMARY
  KEY, name INTEGER);
CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER, name INTEGER,
  sequenceNumber INTEGER, fwdThreadId INTEGER, type INTEGER);
CREATE TABLE CONNECTION_IDS (id INTEGER, connectionId INTEGER);
CREATE TABLE RANK_DEVICE_MAP (rankId INTEGER, deviceId INTEGER);
CREATE TABLE HOST_INFO (hostUid TEXT, hostName TEXT);
CREATE TABLE AICORE_FREQ (deviceId INTEGER, timestampNs NUMERIC, freq INTEGER);
CREATE TABLE LLC (deviceId INTEGER, timestampNs INTEGER, hitRate NUMERIC);
INSERT INTO STRING_IDS VALUES (1, 'AI_CORE'), (2, 'EVENT_WAIT'), (3, 'aclnnMm_MatMul'), (4, 'aclnnMm'),
  (5, 'hcom_allReduce__428_7_1'), (6, '10.0.0.1%eth0_60000_0_1708156014257149'), (7, 'aten::mm'),
  (8, 'ProfilerStep#12'), (9, 'Enqueue'), (10, 'Dequeue@aclnnMm'), (11, 'SDMA');
INSERT INTO ENUM_API_TYPE VALUES (20000, 'acl'), (50001, 'op'), (50002, 'queue');
INSERT INTO ENUM_HCCL_DATA_TYPE VALUES (4, 'FP32');
INSERT INTO RANK_DEVICE_MAP VALUES (5, 3);
INSERT INTO HOST_INFO VALUES ('123', 'node7');
INSERT INTO TASK VALUES (1700000000000001000, 1700000000000003000, 3, 40, 900, 77, 1, 0, 2, 1, 0),
  (1700000000000003500, 1700000000000003600, 3, 41, 901, 77, 2, 0, 2, 2, 0),
  (1700000000000004000, 1700000000000005000, 3, 42, 902, 77, 11, 0, 4, 3, 0),
  (1700000000000006000, 1700000000000005000, 3, 42, 903, 77, 1, 0, 4, 3, 0);
INSERT INTO COMPUTE_TASK_INFO VALUES (3, 900, 1, 1);
INSERT INTO COMMUNICATION_OP VALUES (5, 1700000000000004000, 1700000000000009000, 42, 6, 0, 4, 1, 1000, 1);
INSERT INTO CANN_API VALUES (1700000000000000500, 1700000000000000600, 20000, 77 * 4294967296 + 79, 40, 4);
INSERT INTO PYTORCH_API VALUES
  ('1700000000000000000', '1700000000000009500', 77 * 4294967296 + 78, NULL, 8, 0, 0, 50001),
  ('1700000000000000100', '1700000000000000200', 77 * 4294967296 + 78, 1, 7, 0, 0, 50001),
  ('1700000000000000300', '1700000000000000400', 77 * 4294967296 + 79, 1, 10, 0, 0, 50002);
INSERT INTO CONNECTION_IDS VALUES (1, 40);
INSERT INTO AICORE_FREQ VALUES (3, 1700000000000000000, 1800), (3, 1700000000000005000, 800);
INSERT INTO LLC VALUES (3, 1700000000000000000, 0.5);
)";

SliceId named(const Report& report, std::string_view name)
{
    for (uint32_t i = 0; i < report.slices.size(); ++i) {
        if (report.nameOf(SliceId(i)) == name) return SliceId(i);
    }
    return {};
}

} // namespace

class AscendDbTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase()
    {
        QVERIFY(runSql(m_folder.path() / "ascend_pytorch_profiler_5.db", kDatabase));
        const auto read =
            readReport(m_folder.path() / "ascend_pytorch_profiler_5.db", Progress(test::workers()));
        QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
        m_report = *read;
    }

    void rowsHaveTheRightKinds()
    {
        const std::vector<std::pair<std::string, RowKind>> expected{
            {"aclnnMm_MatMul", RowKind::kernel}, {"EVENT_WAIT", RowKind::synchronization},
            {"SDMA", RowKind::memcpy},           {"hcom_allReduce__428_7_1", RowKind::kernel},
            {"aclnnMm", RowKind::runtimeApi},    {"aten::mm", RowKind::op},
            {"Dequeue@aclnnMm", RowKind::span},  {"ProfilerStep#12", RowKind::userAnnotation}};
        QCOMPARE(m_report->slices.size(), expected.size());
        for (const auto& [name, kind] : expected) {
            const SliceId slice = named(*m_report, name);
            QVERIFY2(slice.isValid() && m_report->slices.kind[slice.value] == kind, name.c_str());
            const Track& track = m_report->track(m_report->trackOf(slice));
            QCOMPARE(m_report->processes[track.key.process.value].pid, int64_t(77));
            if (isGpuWork(kind)) QCOMPARE(m_report->devices[track.key.device.value].ordinal, 3);
        }
        QCOMPARE(m_report->slices.start(named(*m_report, "aclnnMm_MatMul")).ns, int64_t(1700000000000001000));
        QCOMPARE(noteCount(*m_report, "row.no_time"), uint64_t(1));
        QCOMPARE(noteCount(*m_report, "table.not_shown"), uint64_t(1)); // LLC
        QCOMPARE(m_report->counters.size(), size_t(2));
    }

    void identityAndClock()
    {
        QCOMPARE(m_report->identity.rank.value.value_or(-1), 5);
        QCOMPARE(m_report->identity.host.value.value_or(""), std::string("node7"));
        QCOMPARE(m_report->clock.utcAtZero_ns.value_or(-1), int64_t(0));
        QCOMPARE(findSteps(*m_report).size(), size_t(1));
        QCOMPARE(findSteps(*m_report)[0].number, int64_t(12));
    }

    void callsLinkToTasks()
    {
        std::vector<std::string> links;
        for (const Link& link : m_report->links.all())
            links.push_back(std::string(m_report->nameOf(link.cause)) + " -> " +
                            std::string(m_report->nameOf(link.effect)));
        std::ranges::sort(links);
        QCOMPARE(links, (std::vector<std::string>{"aclnnMm -> aclnnMm_MatMul", "aten::mm -> Dequeue@aclnnMm",
                                                  "aten::mm -> aclnnMm_MatMul"}));
        const SliceId kernel = named(*m_report, "aclnnMm_MatMul");
        const auto details = readSliceDetails(*m_report, kernel);
        QVERIFY(details.has_value());
        QCOMPARE(details->source, std::string("TASK row 1"));
        QVERIFY(std::ranges::count(details->arguments,
                                   std::pair<std::string, std::string>("taskType", "AI_CORE")));
    }

    void communicationsHaveTheirGroup()
    {
        QCOMPARE(m_report->collectives.size(), size_t(1));
        const CollectiveOp& op = m_report->collectives[0];
        QCOMPARE(m_report->strings.at(op.collective), std::string_view("allReduce"));
        QCOMPARE(m_report->strings.at(op.group), std::string_view("10.0.0.1%eth0_60000_0_1708156014257149"));
        QCOMPARE(op.sequence, uint64_t(7));
        QCOMPARE(op.message_bytes, uint64_t(4000));
    }

  private:
    TempDir m_folder;
    std::shared_ptr<const Report> m_report;
};

LOCKSTEP_TEST(AscendDbTest, "ascend_db_test")
#include "ascend_db_test.moc"
