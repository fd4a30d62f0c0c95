// SPDX-License-Identifier: Apache-2.0
// Tests event logs of runs that are opened as reports: counters each second, commands and steps as slices.
#include <algorithm>
#include <map>

#include "core/readers/reader.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

// Uses single quotes for double ones.
std::string logText()
{
    std::string text = "{'seq':1,'t_ns':1000,'kind':'started','pid':4}\n"
                       "{'seq':2,'t_ns':1100,'kind':'started','command':0,'name':'train'}\n"
                       "{'seq':3,'t_ns':1200,'kind':'gpu','cpu_percent':50.5,'memory_used_bytes':7,"
                       "'gpus':[{'index':0,'busy_percent':40,'used_bytes':5}]}\n"
                       "{'seq':4,'t_ns':1300,'kind':'stdout','command':0,'text':'a gpu','to':3}\n"
                       "{'seq':5,'t_ns':1400,'kind':'step','command':0,'step':1}\n"
                       "{'seq':6,'t_ns':1600,'kind':'step','command':0,'step':2}\n"
                       "{'seq':7,'t_ns':2200,'kind':'gpu','cpu_percent':60}\n"
                       "{'seq':8,'t_ns':2300,'kind':'exit','command':0,'code':0}\n"
                       "{'seq':9,'t_ns':2400,'kind':'exit','run':true,'code':0}\n";
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

} // namespace

class RunEventsReaderTest : public QObject {
    Q_OBJECT

  private slots:
    void countersAndSlices()
    {
        const test::TempDir folder;
        const auto report = readReport(folder.write("node0.events.jsonl", logText()), Progress());
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        const Report& read = **report;
        QCOMPARE(read.provenance.kind, std::string("run events"));
        QCOMPARE(read.identity.host.value, std::optional<std::string>("node0"));
        QCOMPARE(read.clock.utcAtZero_ns, std::optional<int64_t>(0));
        QCOMPARE(read.counterTracks.size(), size_t(4)); // CPU, memory, GPU busy and memory
        QCOMPARE(read.counters.size(), size_t(5));
        std::map<std::string, std::pair<int64_t, int64_t>> slices;
        for (size_t i = 0; i < read.slices.size(); ++i)
            slices[std::string(read.nameOf(SliceId(i)))] = {read.slices.start_ns[i],
                                                            read.slices.duration_ns[i]};
        const std::map<std::string, std::pair<int64_t, int64_t>> wanted{
            {"train", {1100, 1200}}, {"step 1", {1400, 200}}, {"step 2", {1600, 700}}};
        QVERIFY(slices == wanted);
        QVERIFY(!read.notes.hasDataLoss());
        const auto details = readSliceDetails(read, SliceId(size_t(0)));
        QVERIFY(details.has_value());
        QVERIFY(details->source.starts_with("line "));
    }

    void oddAndCutLinesAreCounted()
    {
        const test::TempDir folder;
        const std::string text =
            logText() + "nonsense\n{\"seq\":10,\"kind\":\"gpu\",\"t_ns\":\"x\"}\n{\"seq\":11,\"t_n";
        const auto report = readReport(folder.write("x.events.jsonl", text), Progress());
        QVERIFY(report.has_value());
        QVERIFY((*report)->notes.hasDataLoss());
        QCOMPARE((*report)->notes.all().size(), size_t(3));
        QCOMPARE((*report)->notes.all()[0].kind, std::string("events.cut_short"));
        QCOMPARE((*report)->notes.all()[1].kind, std::string("events.odd_line"));
        QCOMPARE((*report)->notes.all()[1].count, uint64_t(2));
        QCOMPARE((*report)->notes.all()[2].kind, std::string("events.step_mark"));
    }
};

LOCKSTEP_TEST(RunEventsReaderTest, "run_events_reader_test")
#include "run_events_reader_test.moc"
