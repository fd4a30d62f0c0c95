// SPDX-License-Identifier: Apache-2.0
// Tests a run without a profiler whose processes write sample records: two real sshds, a program that writes
// the logs of TorchTitan and the requests of vLLM, which go into a new file now and then. The window shows
// them while they grow, and at the end shows the same from the collected files, all of which the ledger
// expected.
#include <algorithm>
#include <fstream>
#include <set>
#include <tuple>

#include <QPushButton>

#include "app/window/live_controller.h"
#include "app/window/run_page_controller.h"
#include "app/window/session_page_controller.h"
#include "app/window/timeline_page_controller.h"
#include "core/lanes/sample_lanes.h"
#include "core/readers/reader.h"
#include "core/readers/recording_parts.h"
#include "core/session/typed_value.h"
#include "tests/support/places.h"
#include "tests/support/run_site.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/run/run_page.h"
#include "ui/session/session_page.h"

using namespace lockstep;

namespace {

// Writes a step every 50 ms, and on the first rank a request, until the file `enough` exists. Every 20
// requests are in a file of their own.
constexpr const char* kTitanProgram = R"(
import json, os, sys, time

rank = int(open("first_rank").read())
folder = sys.argv[sys.argv.index("--dump_folder") + 1] + "/structured_logs"
os.makedirs(folder, exist_ok=True)
log = open(folder + "/training.global_rank_%d.20261130-073000-ABC123.jsonl" % rank, "w")
count = 0

def write(name, step):
    global count
    us = time.time_ns() // 1000
    print(json.dumps({"tid": 7, "rank": rank, "global_rank": rank, "source": "trainer", "host_name": "h%d" % rank,
                      "pid": os.getpid(), "step": step, "time_us": us, "time_ms": us // 1000, "log_type": "event",
                      "log_type_name": name, "seq_id": count, "message": ""}), file=log, flush=True)
    count += 1

def request(number, begin):
    attributes = [{"key": "gen_ai.request.id", "value": {"stringValue": "r%d" % number}}]
    span = {"traceId": "%032x" % (number + 1), "spanId": "%016x" % (number + 1), "name": "llm_request",
            "startTimeUnixNano": str(begin), "endTimeUnixNano": str(time.time_ns()), "attributes": attributes}
    part = "" if number < 20 else ".%d" % (number // 20)
    with open(folder + "/requests%s.jsonl" % part, "a") as requests:
        print(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}), file=requests)

write("structured_logger_started", None)
step = 0
while not os.path.exists("enough"):
    step += 1
    begin = time.time_ns()
    write("train_step_start", step)
    time.sleep(0.05)
    write("train_step_end", step)
    if rank == 0:
        request(step, begin)
)";

// Torchrun with one process per node.
constexpr const char* kTorchrun = "#!/bin/sh\nwhile [ \"$1\" != -m ]; do shift; done\nexec python3 \"$@\"\n";

class TitanSite : public test::RunSite {
  public:
    TitanSite() : RunSite({"node0", "node1"})
    {
        for (size_t i = 0; i < site().size(); ++i) {
            site().node(i).write("torchtitan/train.py", kTitanProgram);
            site().node(i).write("first_rank", std::to_string(i));
            site().node(i).write("bin/torchrun", kTorchrun);
            std::filesystem::permissions(site().node(i).home() / "bin/torchrun",
                                         std::filesystem::perms::owner_all);
            config().hosts[i].address = config().hosts[i].name;
        }
        config().framework = *enumFromWord<Framework>("torchtitan");
        config().torchrun.processesPerNode = 1;
        config().tool.reset();
        config().savePath.reset();
        config().environment = {{"PATH", "bin:/usr/bin:/bin"}};
        config().command = {"python3", "-m", "torchtitan.train", "--dump_folder", "outputs"};
        for (const QString& name : site().environment().keys()) {
            if (name.startsWith("LOCKSTEP_"))
                qputenv(qPrintable(name), site().environment().value(name).toUtf8());
        }
    }
    void endPrograms()
    {
        for (size_t i = 0; i < site().size(); ++i)
            site().node(i).write("enough", "");
    }
};

// Host, name, start on the host's clock and duration of each span and sample.
using Recorded = std::vector<std::tuple<std::string, std::string, int64_t, int64_t>>;

} // namespace

class LiveSamplesTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void samplesAreShownWhileTheyAreWritten()
    {
        TitanSite site;
        LOCKSTEP_NEED_SITE(site);
        begin(site);
        run("Watch live");
        QTRY_VERIFY(count("node0", "request") > 30 && count("node0", "train_step") > 10 &&
                    count("node1", "train_step") > 10);
        const size_t before = count("node0", "request");
        QTRY_VERIFY(count("node0", "request") > before + 10);
        QVERIFY(runs().run()->state() == RunState::running);
        QVERIFY(hasSampleLane());
        QVERIFY(figures().recordFiles >= 4);
        QCOMPARE(recordings(), size_t(3));
        const QString badge = part<QPushButton>("live").text();
        QVERIFY2(badge.contains("live") && badge.contains("/s"), qPrintable(badge));
        QVERIFY(part<QPushButton>("live").toolTip().contains(" files with sample records watched"));
        picture("window-live-samples");
        addDump();
        site.endPrograms();
        QTRY_VERIFY(figures().hasEnded && !m_window->live().live().isBusy());
        QVERIFY2(figures().problems.empty(),
                 figures().problems.empty() ? "" : figures().problems.front().text.c_str());
        QCOMPARE(figures().skippedRecords_bytes, uint64_t(0));
        QTRY_COMPARE(runs().run()->state(), RunState::ended);
        QTRY_VERIFY(recorded() == recordedOnHosts());
        const Recorded watched = recorded();
        // The second and third request wait for the first one, and are carried out once.
        size_t written = 0;
        connect(&runs(), &RunController::workspaceWritten, this, [&] { ++written; });
        runs().fetch({0}, CollectMode::whole);
        run("Open collected reports");
        run("Open collected reports");
        QTRY_VERIFY(!m_window->live().live().hasPieces() && m_window->isSettled());
        QCOMPARE(recorded().size(), watched.size());
        QVERIFY(recorded() == watched);
        QCOMPARE(recordings(), size_t(4));
        QVERIFY(hasSampleLane());
        QCOMPARE(written, size_t(1));
        checkLedger();
    }

  private:
    RunController& runs() { return page<RunPageController>().runs(); }
    LiveFigures figures() { return m_window->live().live().figures(); }
    void begin(TitanSite& site)
    {
        makeSettings();
        qputenv("LOCKSTEP_STATE_HOME", QByteArray::fromStdString((m_folder->path() / "state").string()));
        makeWindow({.size = {1600, 1000}});
        part<SessionPage>().draft().startNew(site.config());
        EndOptions end;
        end.fetchesAll = end.opens = end.notifies = false;
        part<RunPage>().end()->setOptions(end);
        run("Launch session");
        QTRY_VERIFY(runs().run() != nullptr && runs().run()->state() == RunState::running);
        m_site = &site;
    }
    // A rollout dump is written at once, and shown when it is complete.
    void addDump()
    {
        std::ifstream file(test::sourceFolder() / "tests/golden/samples/12.pt", std::ios::binary);
        const std::string dump{std::istreambuf_iterator<char>(file), {}};
        m_site->site().node(1).write("outputs/structured_logs/12.pt", dump.substr(0, dump.size() / 2));
        m_site->site().node(1).write("outputs/structured_logs/12.pt", dump);
        QTRY_COMPARE(count("node1", "sample "), size_t(3)); // one of four has no times
    }
    static bool isOfSamples(const Report& report)
    {
        return report.provenance.kind == "sample records" || report.provenance.kind == "rollout dump";
    }
    static void addRows(Recorded& all, const std::string& host, const Report& report)
    {
        if (!isOfSamples(report)) return;
        for (uint32_t i = 0; i < report.slices.size(); ++i)
            all.emplace_back(host, report.nameOf(SliceId{i}), report.slices.start_ns[i],
                             report.slices.duration_ns[i]);
        std::ranges::sort(all);
    }
    Recorded recorded() const
    {
        Recorded all;
        for (const ReportKey key : scene().shown.keys())
            addRows(all, scene().shown.identity(key).host.value.value_or("nobody"),
                    scene().shown.report(key));
        return all;
    }
    size_t recordings() const
    {
        return static_cast<size_t>(std::ranges::count_if(
            scene().shown.keys(), [&](ReportKey key) { return isOfSamples(scene().shown.report(key)); }));
    }
    // What the files on the hosts contain.
    Recorded recordedOnHosts() const
    {
        Recorded all;
        for (size_t i = 0; i < m_site->site().size(); ++i) {
            const auto folder = m_site->node(i).home() / "outputs/structured_logs";
            for (const auto& file : std::filesystem::directory_iterator(folder)) {
                if (recordingOf(file.path()) != file.path()) continue;
                const auto report = readReport(file.path(), Progress());
                if (report) addRows(all, m_site->config().hosts[i].name, **report);
            }
        }
        return all;
    }
    size_t count(const std::string& host, std::string_view name) const
    {
        return static_cast<size_t>(std::ranges::count_if(recorded(), [&](const auto& row) {
            return std::get<0>(row) == host && std::get<1>(row).starts_with(name);
        }));
    }
    bool hasSampleLane() const
    {
        return std::ranges::any_of(scene().tree->lanes(), [](const Lane& lane) {
            return lane.data.as<SampleLaneData>() != nullptr;
        });
    }
    // Each process's log was expected and opened; the files of requests were found next to them.
    void checkLedger()
    {
        std::set<std::tuple<std::string, int64_t, bool, LedgerState>> entries;
        int parts = 0;
        for (const LedgerEntry& entry : runs().run()->ledger().entries()) {
            QCOMPARE(entry.kind, ReportKind::samples);
            entries.emplace(entry.host, entry.rank.value_or(-1), entry.wasExpected, entry.state);
            QVERIFY(entry.rows > 0);
            if (!entry.wasExpected) parts += 1;
        }
        QCOMPARE(entries.size(), size_t(4));
        QVERIFY(parts >= 2);
        QVERIFY(entries.contains({"node1", -1, false, LedgerState::verified}));
        QVERIFY(entries.contains({"node0", 0, true, LedgerState::verified}));
        QVERIFY(entries.contains({"node1", 1, true, LedgerState::verified}));
        QVERIFY(entries.contains({"node0", -1, false, LedgerState::verified}));
    }

    TitanSite* m_site = nullptr;
};

LOCKSTEP_TEST(LiveSamplesTest, "live_samples_test")
#include "live_samples_test.moc"
