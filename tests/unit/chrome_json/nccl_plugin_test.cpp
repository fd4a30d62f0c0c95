// SPDX-License-Identifier: Apache-2.0
// Reads the output of NCCL's profiler plugin: kernels from the GPU's global timer, matching of two ranks by
// communicator, function and sequence number, and a note for collectives without kernel times.
#include <algorithm>
#include <cstdio>

#include "core/align/alignment.h"
#include "core/analysis/analysis.h"
#include "core/scene/scene.h"
#include "tests/support/report_of_bytes.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int64_t kEpoch_ns = 1'782'864'000'000'000'000;

// One process as plugins/profiler/example/print_event.cc writes it: ts in us since its start.
class PluginOutput {
  public:
    PluginOutput(int rank, int64_t begin_ns) : m_rank(rank), m_begin_ns(begin_ns) {}

    // The host is notified of the kernel late_us after it began. kernel_ns 0: without channels.
    void collective(const char* function, int sequence, int64_t start_ns, int64_t kernel_ns,
                    double late_us = 5)
    {
        const double ts = static_cast<double>(start_ns - m_begin_ns) / 1000;
        pair(
            function, "COLL", m_id, 'b', ts,
            R"(, "args": {"SeqNum": )" + std::to_string(sequence) +
                R"(, "CommHash": 17297745686452629517, "Rank": )" + std::to_string(m_rank) +
                R"(, "Count": 1024, "Datatype": "ncclBfloat16", "Algorithm": "RING", "Protocol": "LL", "nChannels": 2})");
        for (int channel = 0; channel < 2 && kernel_ns > 0; ++channel) {
            pair("KernelCh", "GPU", 0, 'b', ts + late_us,
                 R"(, "args": {"Channel": )" + std::to_string(channel) + R"(, "StartGpuClk": )" +
                     std::to_string(start_ns + channel * 100) + R"(, "StopGpuClk": )" +
                     std::to_string(start_ns + kernel_ns - channel) + "}");
            pair("KernelCh", "GPU", 0, 'e', ts + late_us + 20, "");
        }
        pair(function, "COLL", m_id++, 'e', ts + 50, "");
    }

    std::string text() const { return "[\n" + m_text + "{}]\n"; }

  private:
    void pair(const char* name, const char* category, int id, char phase, double ts, const std::string& args)
    {
        char stamp[40];
        std::snprintf(stamp, sizeof stamp, "%f", ts);
        m_text += std::string(R"({"name": ")") + name + R"(", "cat": ")" + category + R"(", "ph": ")" +
                  phase + R"(", "id": )" + std::to_string(id) + R"(, "pid": )" +
                  std::to_string(900 + m_rank) + R"(, "tid": 1, "ts": )" + stamp + args + "},\n";
    }

    int m_rank;
    int64_t m_begin_ns;
    int m_id = 0;
    std::string m_text;
};

// 12 all-reduces and 12 all-gathers; the rank begins late_ns after the others and all end together.
std::shared_ptr<const Report> rankReport(int rank, int64_t late_ns)
{
    PluginOutput output(rank, kEpoch_ns - 1'000'000 * rank);
    for (int i = 0; i < 12; ++i) {
        const int64_t at_ns = kEpoch_ns + (1 + i) * 10'000'000 + late_ns;
        output.collective("AllReduce", i, at_ns, 4'000'000 - late_ns, 3 + i);
        output.collective("AllGather", i, at_ns + 5'000'000, 4'000'000 - late_ns, 2);
    }
    return reportOfBytes(output.text());
}

} // namespace

class NcclPluginTest : public QObject {
    Q_OBJECT

  private slots:
    void collectivesBecomeKernels()
    {
        PluginOutput output(3, kEpoch_ns);
        output.collective("AllReduce", 7, kEpoch_ns + 1'000'000, 200'000);
        output.collective("ReduceScatter", 8, kEpoch_ns + 2'000'000, 0);
        const auto report = reportOfBytes(output.text());
        QVERIFY(report != nullptr);
        QCOMPARE(std::ranges::count(report->slices.kind, RowKind::kernel), std::ptrdiff_t(1));
        QCOMPARE(std::ranges::count(report->slices.kind, RowKind::async), std::ptrdiff_t(2)); // on the host
        QCOMPARE(report->collectives.size(), size_t(1));
        const CollectiveOp& op = report->collectives[0];
        QCOMPARE(report->strings.at(op.group), std::string_view("17297745686452629517 AllReduce"));
        QCOMPARE(op.sequence, uint64_t(7));
        QCOMPARE(op.rankInGroup, uint32_t(3));
        QCOMPARE(op.message_bytes, uint64_t(2048));
        // At least 5 us late: this is the error of the clock.
        QCOMPARE(report->slices.start(op.slice).ns + *report->clock.utcAtZero_ns, kEpoch_ns + 1'000'000);
        QCOMPARE(report->slices.duration(op.slice).ns, int64_t(200'000));
        QCOMPARE(report->identity.rank.value.value_or(-1), 3);
        QCOMPARE(report->notes.all().back().kind, std::string("nccl.no_kernel_times"));
    }

    // A channel whose collective is missing is counted, not silently dropped.
    void channelsOutsideOfCollectivesAreCounted()
    {
        const auto report = reportOfBytes(
            R"([{"name":"KernelCh","cat":"GPU","ph":"b","id":0,"pid":9,"tid":1,"ts":5.0,"args":{"Channel":0,"StartGpuClk":1000,"StopGpuClk":2000}},)"
            R"({"name":"a","cat":"x","ph":"X","pid":9,"tid":1,"ts":1,"dur":2}])");
        QVERIFY(report != nullptr);
        QCOMPARE(report->slices.size(), size_t(1));
        QCOMPARE(report->notes.all().size(), size_t(1));
        QCOMPARE(report->notes.all()[0].kind, std::string("nccl.channel_alone"));
    }

    // Rank 1 is 3 ms late to each collective.
    void ranksMatchBySequence()
    {
        Workspace workspace;
        workspace.add(rankReport(0, 0));
        workspace.add(rankReport(1, 3'000'000));
        const ScenePtr scene = makeHeadlessScene(workspace, alignReports(workspace, {}));
        const Table table = runAnalysis("stragglers", *scene, {}, Progress(test::workers())).value();
        QCOMPARE(columnCells(table, "rank").front(), std::string("1"));
        QCOMPARE(columnCells(table, "collectives").front(), std::string("24"));
        QCOMPARE(columnCells(table, "times_last").front(), std::string("24"));
    }

    // An async event of another writer may have such a category.
    void otherWritersKeepTheirEvents()
    {
        const auto report = reportOfBytes(
            R"([{"name":"a","cat":"COLL","ph":"b","id":1,"pid":1,"ts":1},{"name":"a","cat":"COLL","ph":"e","id":1,"pid":1,"ts":5}])");
        QVERIFY(report != nullptr);
        QCOMPARE(report->slices.size(), size_t(1));
        QVERIFY(report->collectives.empty());
        QVERIFY(report->notes.all().empty());
    }
};

LOCKSTEP_TEST(NcclPluginTest, "nccl_plugin_test")
#include "nccl_plugin_test.moc"
