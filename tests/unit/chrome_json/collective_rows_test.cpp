// SPDX-License-Identifier: Apache-2.0
// Tests what NCCL kernels and record_param_comms ops record about a communication, in the spelling of all
// versions.
#include "core/readers/chrome_json/collective_rows.h"

#include <algorithm>

#include "tests/support/chrome_json_text.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::reportOfText;

namespace {

const std::string kKernel = "{'ph':'X','cat':'kernel','name':'ncclDevKernel_AllReduce_Sum_bf16_RING_LL',"
                            "'pid':0,'tid':20,'ts':100.000,'dur':50.000,'args':{'device':0,'stream':20,";
const std::string kRecord = "{'ph':'X','cat':'cpu_op','name':'record_param_comms','pid':7,'tid':7,"
                            "'ts':10.000,'dur':20.000,'args':{";

// The generated JSON uses ' for ".
std::shared_ptr<const Report> traceReport(const std::string& events, const std::string& header = {})
{
    std::string text = "{" + header + "'traceEvents':[" + events + "]}";
    std::ranges::replace(text, '\'', '"');
    return reportOfText(text, 1 << 16);
}

// Returns every field that a row records: "AllReduce group=0 ranks=[0, 1] ...", starting with the slice's
// name.
std::string textOf(const Report& report, const CollectiveOp& op)
{
    std::string out(report.nameOf(op.slice));
    const auto text = [&](const char* word, StringId id) {
        if (id.isValid()) out += std::string(" ") + word + "=" + std::string(report.strings.at(id));
    };
    const auto number = [&](const char* word, uint64_t value, uint64_t absent) {
        if (value != absent) out += std::string(" ") + word + "=" + std::to_string(value);
    };
    text("name", op.collective);
    text("group", op.group);
    text("ranks", op.groupRanks);
    text("type", op.dataType);
    number("size", op.groupSize, CollectiveOp::kAbsent);
    number("rank", op.rankInGroup, CollectiveOp::kAbsent);
    number("start", op.rankStart, CollectiveOp::kAbsent);
    number("stride", op.rankStride, CollectiveOp::kAbsent);
    number("peer", op.peer, CollectiveOp::kAbsent);
    number("in", op.inElements, CollectiveOp::kAbsentCount);
    number("out", op.outElements, CollectiveOp::kAbsentCount);
    number("bytes", op.message_bytes, CollectiveOp::kAbsentCount);
    number("seq", op.sequence, CollectiveOp::kAbsentCount);
    number("comms", op.commsId, CollectiveOp::kAbsentCount);
    return out + (op.isPointToPoint ? " p2p" : "");
}

std::string textOf(const Report& report)
{
    std::string out;
    for (const CollectiveOp& op : report.collectives)
        out += (out.empty() ? "" : "\n") + textOf(report, op);
    return out;
}

} // namespace

class CollectiveRowsTest : public QObject {
    Q_OBJECT

  private slots:
    void kernelRecordsItsOwnFields()
    {
        const auto report = traceReport(
            kKernel + "'Collective name':'_allgather_base','In msg nelems':8,'Out msg nelems':16,"
                      "'Group size':2,'dtype':'BFloat16','In split size':'[]','Process Group Name':'0',"
                      "'Process Group Description':'default_pg','Process Group Ranks':'[0, 1]','Seq':5,"
                      "'Comms Id':18446744073709551610}}");
        QCOMPARE(textOf(*report),
                 std::string("ncclDevKernel_AllReduce_Sum_bf16_RING_LL name=_allgather_base group=0 "
                             "ranks=[0, 1] type=BFloat16 size=2 in=8 out=16 bytes=16 seq=5 "
                             "comms=18446744073709551610"));
    }

    // The op has the fields that its kernel lacks; one External id joins them, in either order of the file.
    void recordCompletesItsKernel()
    {
        const std::string record =
            kRecord + "'External id':12,'Seq':3,'Rank':1,'Global rank start':0,'Global rank stride':1,"
                      "'Process Group ID':'4','Collective name':'allreduce'}}";
        const std::string kernel =
            kKernel + "'External id':12,'correlation':99,'Collective name':'allreduce','dtype':'Float',"
                      "'In msg nelems':4}}";
        const std::string expected = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL name=allreduce group=4 "
                                     "type=Float rank=1 start=0 stride=1 in=4 bytes=16 seq=3";
        QCOMPARE(textOf(*traceReport(record + "," + kernel)), expected);
        QCOMPARE(textOf(*traceReport(kernel + "," + record)), expected);
    }

    void recordWithoutKernelIsACommunication()
    {
        const auto report = traceReport(kRecord + "'External id':12,'Process Group Name':'0','Seq':1}}," +
                                        kKernel + "'External id':12,'correlation':12}}");
        QCOMPARE(textOf(*report), std::string("record_param_comms group=0 seq=1"));
    }

    void pointToPoint()
    {
        const auto report = traceReport(
            kKernel +
            "'Collective name':'send','Rank':3,'Src Rank':0,'Dst Rank':3,'Process Group Name':'1'}}," +
            kKernel + "'Collective name':'recv','Src Rank':2,'Process Group Name':'1'}}");
        QCOMPARE(textOf(*report),
                 std::string("ncclDevKernel_AllReduce_Sum_bf16_RING_LL name=send group=1 peer=3 p2p\n"
                             "ncclDevKernel_AllReduce_Sum_bf16_RING_LL name=recv group=1 peer=2 p2p"));
    }

    void truncatedRanksComeFromTheHeader()
    {
        const std::string header =
            "'distributedInfo':{'backend':'nccl','rank':0,'pg_config':[{'pg_name':'0','ranks':[0,1,2,3]},"
            "{'pg_name':'1','ranks':'[4, 5]'},{'pg_name':'2','ranks':'[0, ..., 9]'}]},";
        const auto kernel = [](const char* group) {
            return kKernel + "'Process Group Name':'" + group + "','Process Group Ranks':'[0, ..., 3]'}}";
        };
        const auto report = traceReport(kernel("0") + "," + kernel("1") + "," + kernel("2"), header);
        QCOMPARE(report->strings.at(report->collectives[0].groupRanks), std::string_view("[0, 1, 2, 3]"));
        QCOMPARE(report->strings.at(report->collectives[1].groupRanks), std::string_view("[4, 5]"));
        QCOMPARE(report->strings.at(report->collectives[2].groupRanks), std::string_view("[0, ..., 3]"));
    }

    // distributedInfo.pg_config has priority: a kernel's list may be truncated with or without dots.
    void completeListsOfTheHeaderArePreferred()
    {
        const std::string header =
            "'distributedInfo':{'rank':3,'pg_config':[{'pg_name':'0','pg_size':4,'ranks':[0,1,2,3]},"
            "{'pg_name':'1','pg_size':4,'ranks':[0,1]}]},";
        const auto kernel = [](const char* group, const char* ranks) {
            return kKernel + "'Process Group Name':'" + group + "','Group size':4,'Process Group Ranks':'" +
                   ranks + "'}}";
        };
        const auto ranksOf = [&](const char* group, const char* ranks) {
            const auto report = traceReport(kernel(group, ranks), header);
            return std::string(report->strings.at(report->collectives[0].groupRanks));
        };
        QCOMPARE(ranksOf("0", "[0, 1]"), std::string("[0, 1, 2, 3]"));
        QCOMPARE(ranksOf("0", "[0, 1, ..., 3]"), std::string("[0, 1, 2, 3]"));
        QCOMPARE(ranksOf("0", ""), std::string("[0, 1, 2, 3]"));
        QCOMPARE(ranksOf("1", "[4, 5, 6, 7]"),
                 std::string("[4, 5, 6, 7]")); // the header's list is truncated itself
        QCOMPARE(ranksOf("2", "[0, 1]"), std::string("[0, 1]"));
    }

    void listOfRanksAndUnreadableNumbers()
    {
        const auto report = traceReport(
            kKernel + "'Process Group Name':'0','Process Group Ranks':[0, 1],'Seq':'x','Group size':'2',"
                      "'In msg nelems':-1,'dtype':'NaN'}}");
        QCOMPARE(
            textOf(*report),
            std::string("ncclDevKernel_AllReduce_Sum_bf16_RING_LL group=0 ranks=[0, 1] type=NaN size=2"));
    }

    void noFieldsMakeNoRow()
    {
        QVERIFY(traceReport(kKernel + "'External id':3,'correlation':8}}")->collectives.empty());
        QVERIFY(traceReport(kRecord + "'External id':3}}")->collectives.empty());
        const std::string wait = kRecord + "'Collective name':'wait','Process Group ID':'0'}}";
        QVERIFY(traceReport(wait)->collectives.empty()); // not a separate communication
    }
};

LOCKSTEP_TEST(CollectiveRowsTest, "collective_rows_test")
#include "collective_rows_test.moc"
