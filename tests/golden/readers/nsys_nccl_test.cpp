// SPDX-License-Identifier: Apache-2.0
// Tests NVTX payloads of NCCL in small exports: the decoded fields and the kernels that they belong to.
#include "core/readers/nsys_sqlite/nccl_call.h"

#include <algorithm>
#include <array>

#include "core/align/collective_source.h"
#include "core/readers/nsys_sqlite/nsys_sqlite_reader.h"
#include "tests/support/nsys_sql.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::kSessionSql;
using lockstep::test::runSql;
using lockstep::test::TempDir;

namespace {

std::string hex(uint64_t value, size_t size)
{
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (size_t i = 0; i < size; ++i) {
        const uint64_t byte = value >> (8 * i) & 255;
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

struct Field {
    uint64_t value;
    size_t size;
};

std::string payload(uint64_t schema, std::initializer_list<Field> fields)
{
    std::string body;
    for (const Field& field : fields)
        body += hex(field.value, field.size);
    return hex(1, 8) + hex(schema, 8) + hex(body.size() / 2, 8) + hex(32 + body.size() / 2, 8) + body;
}

constexpr uint64_t kComm = 0xF00DF00DF00DF00Dull;

// Schema 16777218 creates a communicator, 16777220 gathers, 16777221 reduces, 16777225 sends.
const std::string kSchemaSql = R"(
CREATE TABLE NVTX_PAYLOAD_SCHEMAS(domainId INT, schemaId INT, name TEXT, type INT, flags INT, numEntries INT,
  payloadSize INT, alignTo INT);
CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES(domainId INT, schemaId INT, idx INT, flags INT, type INT, name TEXT,
  description TEXT, arrayOrUnionDetail INT, offset INT);
CREATE TABLE NVTX_PAYLOAD_ENUM_ENTRIES(domainId INT, schemaId INT, idx INT, name TEXT, value INT, isFlag INT);
INSERT INTO NVTX_PAYLOAD_SCHEMAS(domainId, schemaId, payloadSize) VALUES(1, 16777218, 24), (1, 16777220, 16),
  (1, 16777221, 24), (1, 16777225, 24), (1, 16777218, 24);
INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES(domainId, schemaId, idx, type, name, offset) VALUES
  (1, 16777218, 0, 18, 'NCCL communicator ID', NULL), (1, 16777218, 1, 5, 'No. of ranks', 8),
  (1, 16777218, 2, 5, 'Rank', 12), (1, 16777218, 3, 5, 'CUDA device', 16),
  (1, 16777218, 3, 5, 'CUDA device', 16),
  (1, 16777220, 0, 18, 'NCCL communicator ID', NULL), (1, 16777220, 1, 22, 'Message size [bytes]', 8),
  (1, 16777221, 0, 18, 'NCCL communicator ID', NULL), (1, 16777221, 1, 22, 'Message size [bytes]', 8),
  (1, 16777221, 2, 16777232, 'Reduction operation', 16),
  (1, 16777225, 0, 18, 'NCCL communicator ID', NULL), (1, 16777225, 1, 22, 'Message size [bytes]', 8),
  (1, 16777225, 2, 5, 'Peer rank', 16);
INSERT INTO NVTX_PAYLOAD_ENUM_ENTRIES VALUES(1, 16777232, 0, 'Sum', 0, 0), (1, 16777232, 1, 'Product', 1, 0);
INSERT INTO StringIds VALUES(20, 'ncclAllReduce'), (21, 'ncclAllGather'), (22, 'ncclSend'), (23, 'ncclRecv'),
  (24, 'ncclGroupStart'), (25, 'ncclGroupEnd'), (26, 'ncclCommInitRank'), (30, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)'),
  (31, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL'), (32, 'ncclDevKernel_SendRecv(x)'), (33, 'ncclDevKernel_SendRecv'),
  (34, 'ncclDevKernel_AllGather_RING_LL(x)'), (35, 'ncclDevKernel_AllGather_RING_LL');
CREATE TABLE NVTX_EVENTS(start INT, end INT, eventType INT, category INT, text TEXT, globalTid INT, textId INT,
  domainId INT, jsonTextId INT, jsonText TEXT, binaryData TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, end INT, eventClass INT, globalTid INT, correlationId INT,
  nameId INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId INT, streamId INT,
  correlationId INT, globalPid INT, demangledName INT, shortName INT);
)";

// A range of thread 100 with a payload, an API call at `launch` of a kernel, and the kernel.
std::string range(int start, int end, int name, const std::string& binary)
{
    const std::string value = binary.empty() ? "NULL" : "x'" + binary + "'";
    return "INSERT INTO NVTX_EVENTS(start, end, eventType, globalTid, textId, domainId, binaryData) VALUES(" +
           std::to_string(start) + "," + std::to_string(end) + ",59,281476654432356," + std::to_string(name) +
           ",1," + value + ");";
}

std::string kernel(int launch, int correlation, int name)
{
    const std::string id = std::to_string(correlation);
    return "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(" + std::to_string(launch) + "," +
           std::to_string(launch + 1) + ",0,281476654432356," + id +
           ",5);INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(" + std::to_string(launch + 100) + "," +
           std::to_string(launch + 5000) + ",0,1,20," + id + ",281476654432256," + std::to_string(name) +
           "," + std::to_string(name + 1) + ");";
}

const std::string kSetUp = range(1, 9, 26, payload(16777218, {{kComm, 8}, {8, 4}, {3, 4}, {0, 4}, {0, 4}}));

std::string reduce(int start, int end, uint64_t size_bytes)
{
    return range(start, end, 20, payload(16777221, {{kComm, 8}, {size_bytes, 8}, {1, 4}, {0, 4}}));
}

std::string gather(int start, int end, uint64_t size_bytes, uint64_t communicator = kComm)
{
    return range(start, end, 21, payload(16777220, {{communicator, 8}, {size_bytes, 8}}));
}

std::shared_ptr<const Report> ncclExportOf(const TempDir& folder, const std::string& sql)
{
    const auto path = folder.path() / "made.sqlite";
    std::filesystem::remove(path);
    if (!runSql(path, kSessionSql + kSchemaSql + sql)) return nullptr;
    auto report = readReport(path, Progress(test::workers()));
    if (!report) qWarning("%s", report.error().message.c_str());
    return report ? *report : nullptr;
}

// "KERNEL:2 ncclAllReduce group 17 of 8 rank 3 bytes 64 f32; ..."
std::string statements(const Report& report)
{
    std::string text;
    for (const CollectiveOp& op : report.collectives) {
        const SourceRow source = report.slices.source[op.slice.value];
        const std::string table = report.sourceTables[source.table()];
        text += table.substr(table.rfind('_') + 1) + ":" + std::to_string(source.row());
        if (op.collective.isValid()) text += " " + std::string(report.strings.at(op.collective));
        if (op.group.isValid()) {
            text += report.strings.at(op.group) == std::to_string(kComm)
                        ? std::string(" group A")
                        : " group " + std::string(report.strings.at(op.group));
        }
        if (op.groupSize != CollectiveOp::kAbsent) text += " of " + std::to_string(op.groupSize);
        if (op.rankInGroup != CollectiveOp::kAbsent) text += " rank " + std::to_string(op.rankInGroup);
        if (op.peer != CollectiveOp::kAbsent) text += " peer " + std::to_string(op.peer);
        if (op.message_bytes != CollectiveOp::kAbsentCount)
            text += " bytes " + std::to_string(op.message_bytes);
        if (op.dataType.isValid()) text += " " + std::string(report.strings.at(op.dataType));
        if (op.isPointToPoint) text += " p2p";
        text += "; ";
    }
    return text;
}

} // namespace

class NsysNcclTest : public QObject {
    Q_OBJECT

  private slots:
    void joins_data()
    {
        QTest::addColumn<QString>("sql");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const std::string& sql, const char* expected) {
            QTest::newRow(name) << QString::fromStdString(sql) << expected;
        };
        row("launched inside the range", kSetUp + reduce(10, 30, 64) + kernel(20, 1, 30),
            "KERNEL:1 ncclAllReduce group A of 8 rank 3 bytes 64 f32; ");
        row("no payload", range(10, 30, 20, "") + kernel(20, 1, 30), "KERNEL:1 AllReduce f32; ");
        row("no set-up seen", reduce(10, 30, 64) + kernel(20, 1, 30),
            "KERNEL:1 ncclAllReduce group A bytes 64 f32; ");
        row("not launched", kSetUp + reduce(10, 30, 64),
            "EVENTS:2 ncclAllReduce group A of 8 rank 3 bytes 64; ");
        row("launched by the group's end",
            range(10, 11, 24, "") + reduce(12, 14, 64) + range(20, 40, 25, "") + kernel(30, 1, 30),
            "KERNEL:1 ncclAllReduce group A bytes 64 f32; ");
        row("two in a group, one kernel",
            range(10, 11, 24, "") + reduce(12, 14, 64) + reduce(15, 17, 32) + range(20, 40, 25, "") +
                kernel(30, 1, 30),
            "KERNEL:1 ncclAllReduce group A bytes 96 f32; ");
        row("two in a group, two kernels of unlike size",
            range(10, 11, 24, "") + reduce(12, 14, 64) + reduce(15, 17, 32) + range(20, 40, 25, "") +
                kernel(30, 1, 30) + kernel(32, 2, 30),
            "KERNEL:1 ncclAllReduce group A f32; KERNEL:2 ncclAllReduce group A f32; ");
        row("two communicators in a group",
            range(10, 11, 24, "") + gather(12, 14, 64) + gather(15, 17, 64, 7) + range(20, 40, 25, "") +
                kernel(30, 1, 34),
            "EVENTS:2 ncclAllGather group A bytes 64; EVENTS:3 ncclAllGather group 7 bytes 64; "
            "KERNEL:1 AllGather; ");
        row("groups nest",
            range(10, 11, 24, "") + range(11, 12, 24, "") + reduce(12, 14, 64) + range(15, 16, 25, "") +
                range(20, 40, 25, "") + kernel(30, 1, 30),
            "KERNEL:1 ncclAllReduce group A bytes 64 f32; ");
        const std::string send = range(12, 14, 22, payload(16777225, {{kComm, 8}, {64, 8}, {5, 4}, {0, 4}}));
        const std::string receive =
            range(15, 17, 23, payload(16777225, {{kComm, 8}, {64, 8}, {5, 4}, {0, 4}}));
        const std::string pair =
            range(10, 11, 24, "") + send + receive + range(20, 40, 25, "") + kernel(30, 1, 32);
        row("send and receive", kSetUp + pair,
            "KERNEL:1 SendRecv group A of 8 rank 3 peer 5 bytes 128 p2p; ");
        row("a peer within a communicator that is not known to be the job", pair,
            "KERNEL:1 SendRecv group A bytes 128 p2p; ");
        const auto exchange = [&](int ranks) {
            std::string sql = range(10, 11, 24, "");
            for (int peer = 0; peer < ranks; ++peer) {
                const auto with =
                    payload(16777225, {{kComm, 8}, {64, 8}, {static_cast<uint64_t>(peer), 4}, {0, 4}});
                sql += range(12 + 2 * peer, 13 + 2 * peer, 22, with) +
                       range(30 + 2 * peer, 31 + 2 * peer, 23, with);
            }
            return sql + range(60, 80, 25, "") + kernel(70, 1, 32);
        };
        row("a send to and a receive from every rank", kSetUp + exchange(8),
            "KERNEL:1 all_to_all group A of 8 rank 3 bytes 1024; ");
        row("one rank is left out", kSetUp + exchange(7),
            "KERNEL:1 SendRecv group A of 8 rank 3 bytes 896 p2p; ");
        row("the communicator's size is not known", exchange(8),
            "KERNEL:1 SendRecv group A bytes 1024 p2p; ");
        const std::string asText = payload(16777220, {{kComm, 8}, {64, 8}});
        row("hexadecimal text",
            "INSERT INTO NVTX_EVENTS(start, end, eventType, globalTid, textId, domainId, binaryData) "
            "VALUES(10, 30, 59, 281476654432356, 21, 1, '" +
                asText + "');" + kernel(20, 1, 34),
            "KERNEL:1 ncclAllGather group A bytes 64; ");
        row("JSON text",
            "INSERT INTO NVTX_EVENTS(start, end, eventType, globalTid, textId, domainId, jsonText) "
            "VALUES(10, 30, 59, 281476654432356, 21, 1, '{\"NCCL communicator ID\":17297745686452629517,"
            "\"Message size [bytes]\":64}');" +
                kernel(20, 1, 34),
            "KERNEL:1 ncclAllGather group A bytes 64; ");
    }

    void joins()
    {
        QFETCH(QString, sql);
        QFETCH(QString, expected);
        const TempDir folder;
        const auto report = ncclExportOf(folder, sql.toStdString());
        QVERIFY(report != nullptr);
        QCOMPARE(QString::fromStdString(statements(*report)), expected);
    }

    void payloadsThatCannotBeRead()
    {
        const TempDir folder;
        const std::string shortened = payload(16777220, {{kComm, 8}, {64, 4}});
        const auto report =
            ncclExportOf(folder, range(10, 30, 21, shortened) + range(11, 20, 21, payload(99, {{1, 8}})) +
                                     range(12, 19, 21, "00") + kernel(20, 1, 34));
        QVERIFY(report != nullptr);
        const auto note = std::ranges::find(report->notes.all(), "nvtx.payload_unread", &ImportNote::kind);
        QVERIFY(note != report->notes.all().end());
        QCOMPARE(note->count, uint64_t(3));
        QCOMPARE(statements(*report), std::string("KERNEL:1 AllGather; "));
    }

    void alignmentSeesTheGroup()
    {
        const TempDir folder;
        const auto report = ncclExportOf(folder, kSetUp + reduce(10, 30, 64) + kernel(20, 1, 30));
        QVERIFY(report != nullptr);
        const auto ranks = collectivesOf(*report, ReportKey(0u));
        QCOMPARE(ranks.size(), size_t(1));
        QCOMPARE(ranks[0].groups.at(0).name, std::to_string(kComm));
        QCOMPARE(ranks[0].groups[0].size, 8u);
        QCOMPARE(ranks[0].collectives.at(0).start, TraceTime{120});
    }

    void detailsShowTheFields()
    {
        const TempDir folder;
        const auto report = ncclExportOf(
            folder, kSetUp + reduce(10, 30, 64) +
                        "UPDATE NVTX_EVENTS SET category = 4 WHERE rowid = 2; INSERT INTO "
                        "NVTX_EVENTS(eventType, category, text, globalTid, domainId) VALUES(33, 4, "
                        "'collectives', 281476654432356, 1);");
        QVERIFY(report != nullptr);
        const auto at = std::ranges::find(report->slices.start_ns, 10) - report->slices.start_ns.begin();
        const auto details = readSliceDetails(*report, SliceId(static_cast<size_t>(at)));
        QVERIFY(details.has_value());
        std::string text;
        for (const auto& [name, value] : details->arguments) {
            if (name != "binaryData" && value != "NULL") text += name + "=" + value + "|";
        }
        QVERIFY2(text.ends_with("NCCL communicator ID=17297745686452629517|Message size [bytes]=64|"
                                "Reduction operation=Product (1)|"),
                 text.c_str());
        QVERIFY2(text.find("category=collectives (4)|") != std::string::npos, text.c_str());
    }

    void kernelNames()
    {
        const auto parts = [](std::string_view name) {
            const auto read = ncclKernelName(name);
            return read ? std::string(read->operation) + " " + std::string(read->dataType)
                        : std::string("none");
        };
        QCOMPARE(parts("ncclDevKernel_AllReduce_Sum_bf16_TREE_LL(ncclDevKernelArgsStorage<4096ul>)"),
                 std::string("AllReduce bf16"));
        QCOMPARE(parts("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)"),
                 std::string("AllReduce float"));
        QCOMPARE(parts("ncclAllReduceRingLLKernel_sum_f32(ncclColl)"), std::string("AllReduce f32"));
        QCOMPARE(parts("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)"), std::string("SendRecv "));
        QCOMPARE(parts("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL"), std::string("ReduceScatter f32"));
        QCOMPARE(parts("ncclSomethingNew"), std::string("none"));
        QCOMPARE(parts("gemm_AllReduce"), std::string("none"));
    }
};

LOCKSTEP_TEST(NsysNcclTest, "nsys_nccl_test")
#include "nsys_nccl_test.moc"
