// SPDX-License-Identifier: Apache-2.0
// Loads a run of 2 roles x 16 ranks x 3 steps as its tools leave it on disk: every file is identified
// correctly, and what no file records remains unknown.
#include "app/cli/report_loader.h"
#include "app/cli/session_captures.h"
#include "core/session/session_yaml.h"
#include "core/session/typed_value.h"
#include "core/trace/process_groups.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::TempDir;

namespace {

namespace fs = std::filesystem;

constexpr int kRanks = 16;
constexpr std::array<int, 3> kSteps{2, 5, 9};
const std::vector<std::string> kRoleWords{"actor_rollout_ref", "critic"};

// Returns the identity of a file of the tree.
struct Truth {
    std::string role;
    int rank = 0;
    int capture = 1; // 1-based; step kSteps[capture - 1]

    int step() const { return kSteps[static_cast<size_t>(capture) - 1]; }
    int64_t pid() const { return (role == "critic" ? 2'000 : 1'000) + rank % 8; } // as on each of two nodes
    std::string host() const { return "node" + std::to_string(rank / 8); }
    std::string text() const
    {
        return role + " rank " + std::to_string(rank) + " step " + std::to_string(step());
    }
};

LoadedInputs loadPaths(const std::vector<fs::path>& paths, const LoadOptions& options)
{
    const Progress progress(lockstep::test::workers());
    MemoryBudget memory({});
    return loadInputs(findReports(paths, progress).value(), options, memory, progress).value();
}

std::vector<Truth> wholeRun()
{
    std::vector<Truth> out;
    for (const std::string& role : kRoleWords) {
        for (int rank = 0; rank < kRanks; ++rank) {
            for (int capture = 1; capture <= 3; ++capture)
                out.push_back({role, rank, capture});
        }
    }
    return out;
}

std::string told(const Identity& identity)
{
    const auto number = [](const Sourced<int>& part) {
        return part.value ? std::to_string(*part.value) : "?";
    };
    return identity.role.value.value_or("?") + " rank " + number(identity.rank) + " step " +
           number(identity.step);
}

std::string nsysSql(const Truth& truth, bool tells)
{
    const std::string globalPid = std::to_string((int64_t(1) << 48) | (truth.pid() << 24));
    const std::string globalTid = std::to_string((int64_t(1) << 48) | (truth.pid() << 24) | truth.pid());
    std::string sql =
        "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
        "INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT_NAME','NVIDIA Nsight Systems'),"
        "('EXPORT_PRODUCT_VERSION','2025.3.1.90'),('EXPORT_SCHEMA_VERSION','3.20.2');"
        "CREATE TABLE META_DATA_CAPTURE(name TEXT, value TEXT);"
        "CREATE TABLE TARGET_INFO_SYSTEM_ENV(name TEXT, value TEXT);"
        "CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INT, utcTime TEXT, localTime TEXT);"
        "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(" +
        std::to_string(1'700'000'000'000'000'000 + truth.step() * 1'000'000'000LL) +
        ",NULL,NULL);"
        "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT NOT NULL);"
        "CREATE TABLE NVTX_EVENTS(start INT, end INT, eventType INT, text TEXT, globalTid INT, "
        "textId INT, domainId INT);"
        "CREATE TABLE PROCESSES(globalPid INT, pid INT, name TEXT);"
        "INSERT INTO PROCESSES VALUES(" +
        globalPid + "," + std::to_string(truth.pid()) + ",'python');";
    std::vector<std::string> ranges{"forward"};
    if (tells) {
        sql += "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES('Hostname','" + truth.host() + "');";
        for (const std::string& text :
             {"RANK=\"" + std::to_string(truth.rank) + "\"", std::string("WORLD_SIZE=\"16\""),
              std::string("WG_BACKEND=\"ray\""), std::string("SLURM_PROCID=\"0\"")})
            sql += "INSERT INTO META_DATA_CAPTURE VALUES('PROCESS_0:ENVIRONMENT_VARIABLE','" + text + "');";
        ranges = truth.role == "critic"
                     ? std::vector<std::string>{"critic_update", "compute_values"}
                     : std::vector<std::string>{"actor_update", "ref_compute_log_prob", "rollout_generate"};
    }
    for (size_t i = 0; i < ranges.size(); ++i) {
        sql += "INSERT INTO NVTX_EVENTS VALUES(" + std::to_string(100 * i) + "," +
               std::to_string(100 * i + 90) + ",59,'" + ranges[i] + "'," + globalTid + ",NULL,0);";
    }
    return sql;
}

std::string torchJson(const Truth& truth, bool tells)
{
    const std::string pid = std::to_string(truth.pid());
    std::string text = "{\"schemaVersion\": 1, ";
    if (tells)
        text += "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": " + std::to_string(truth.rank) +
                ", \"world_size\": 16}, ";
    return text + "\"baseTimeNanoseconds\": " +
           std::to_string(1'700'000'000'000'000'000 + truth.step() * 1'000'000'000LL) +
           ", \"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": " +
           pid + ", \"tid\": " + pid + ", \"ts\": 1.0, \"dur\": 2.0}]}";
}

std::string memoryJson(const Truth& truth)
{
    return "{\"segments\": [], \"device_traces\": [[{\"action\": \"alloc\", \"addr\": 4096, \"size\": 512, "
           "\"stream\": 0, \"time_us\": " +
           std::to_string(1'700'000'000'000'000 + truth.step() * 1'000'000LL) + "}]]}";
}

SessionConfig sessionOfRun()
{
    SessionConfig session;
    session.name = "grpo";
    session.framework = *enumFromWord<Framework>("verl");
    session.tool = Tool::nsys;
    session.steps = std::vector<int64_t>{5, 2, 9};
    for (const Role role : {Role::actor, Role::critic}) {
        session.role(role).enable = true;
        session.role(role).allRanks = true;
    }
    return session;
}

struct Tree {
    TempDir folder;
    std::vector<fs::path> paths;
    std::vector<Truth> truths; // by path

    void add(const Truth& truth, const fs::path& path)
    {
        truths.push_back(truth);
        paths.push_back(path);
    }
    void addNsys(const Truth& truth, const fs::path& name, bool tells)
    {
        fs::create_directories((folder.path() / name).parent_path());
        QVERIFY(lockstep::test::runSql(folder.path() / name, nsysSql(truth, tells)));
        add(truth, folder.path() / name);
    }
    LoadedInputs load() const
    {
        LoadedInputs loaded = loadPaths(paths, {});
        for (const InputFile& file : loaded.files) {
            if (file.error) qWarning("%s", file.error->message.c_str());
        }
        return loaded;
    }
};

// "actor-rollout-ref": verl's form of a role in file names.
std::string sanitised(std::string role)
{
    if (role == "critic") return "value-model";
    std::ranges::replace(role, '_', '-');
    return role;
}

std::string rayName(const Truth& truth)
{
    return "worker_process_" + std::to_string(truth.pid()) + "." + std::to_string(truth.capture) + ".sqlite";
}

} // namespace

class IdentifiedTreeTest : public QObject {
    Q_OBJECT

  private slots:
    void filesOfEveryToolAreIdentifiedAndJoined()
    {
        Tree tree;
        QVERIFY(saveSession(sessionOfRun(), tree.folder.path() / "grpo.yaml"));
        for (const Truth& truth : wholeRun()) {
            const std::string pid = std::to_string(truth.pid()), step = std::to_string(truth.step());
            const std::string rank = std::to_string(truth.rank);
            tree.addNsys(truth, fs::path(truth.host()) / "nsight" / rayName(truth), true);
            tree.add(truth, tree.folder.write(sanitised(truth.role) + "_train_step" + step + "_rank" + rank +
                                                  "-of-16_pid" + pid + "_20260822143501123.json",
                                              torchJson(truth, true)));
            tree.add(truth,
                     tree.folder.write("step" + step + "/torch_memory_rank" + rank + "_pid" + pid + ".pickle",
                                       memoryJson(truth)));
        }
        const LoadedInputs loaded = tree.load();
        QCOMPARE(loaded.workspace.size(), tree.paths.size());
        for (size_t i = 0; i < tree.paths.size(); ++i) {
            const Identity& identity = loaded.workspace.identity(ReportKey(i));
            if (told(identity) != tree.truths[i].text()) qWarning("%s", tree.paths[i].c_str());
            QCOMPARE(told(identity), tree.truths[i].text());
            QCOMPARE(identity.host.value, std::optional(tree.truths[i].host()));
        }
        const std::vector<ProcessGroup> groups = findProcessGroups(loaded.workspace);
        QCOMPARE(groups.size(), kRoleWords.size() * kRanks); // rank 0 of two roles counts as two processes
        for (const ProcessGroup& group : groups)
            QCOMPARE(group.members.size(), 3 * kSteps.size());
    }

    void namesAloneGiveIdentities()
    {
        Tree tree;
        std::vector<std::string> expected;
        for (const Truth& truth : wholeRun()) {
            const std::string pid = std::to_string(truth.pid()), rank = std::to_string(truth.rank);
            tree.addNsys(truth, "out/" + truth.role + "_" + truth.host() + "_" + rayName(truth), false);
            expected.push_back(truth.role + " rank ? step ?"); // the third capture is not step 3
            const std::string worker =
                truth.role == "critic" ? "megatron_value_worker" : "dtensor_policy_worker";
            tree.addNsys(truth,
                         "nemo" + rank + "/" + worker + "_" + std::to_string(truth.step()) + ":" +
                             std::to_string(truth.step() + 1) + "_" + pid + ".sqlite",
                         false);
            expected.push_back(worker + " rank ? step " + std::to_string(truth.step()));
            const std::string stem = "rank" + rank + "-of-16_pid" + pid + "_20260822143501123_cycle";
            tree.add(truth, tree.folder.write(sanitised(truth.role) + "/" + stem +
                                                  std::to_string(truth.capture) + ".json",
                                              torchJson(truth, false)));
            expected.push_back(truth.role + " rank " + rank + " step ?");
        }
        const LoadedInputs loaded = tree.load();
        QCOMPARE(loaded.workspace.size(), tree.paths.size());
        for (size_t i = 0; i < tree.paths.size(); ++i) {
            const std::string is = told(loaded.workspace.report(ReportKey(i)).identity);
            if (is != expected[i]) qWarning("%s", tree.paths[i].c_str());
            QCOMPARE(is, expected[i]);
        }
    }

    void unknownsStayUnknown()
    {
        Tree tree;
        for (const Truth& truth : wholeRun()) {
            const fs::path folder = truth.role + std::to_string(truth.rank);
            tree.addNsys(truth, folder / ("report" + std::to_string(truth.capture) + ".sqlite"), false);
            tree.add(truth, tree.folder.write(folder / ("trace" + std::to_string(truth.capture) + ".json"),
                                              torchJson(truth, false)));
        }
        const LoadedInputs loaded = tree.load();
        QCOMPARE(loaded.workspace.size(), tree.paths.size());
        for (size_t i = 0; i < tree.paths.size(); ++i)
            QCOMPARE(told(loaded.workspace.identity(ReportKey(i))), std::string("? rank ? step ?"));
    }

    void captureIsAStepOnlyWithASession()
    {
        Identity identity;
        identity.captureIndex.learn(2, "file name", Confidence::stated);
        SessionConfig session = sessionOfRun();
        QCOMPARE(plannedBySession(session, identity, "grpo").step.value, std::optional(5));
        QCOMPARE(plannedBySession(session, identity, "grpo").step.source,
                 std::string("capture 2 of the steps in grpo"));
        QVERIFY(!plannedBySession(session, {}, "grpo").step.isKnown());
        session.steps = std::vector<int64_t>{2, 3, 9}; // 2 and 3 are one capture
        session.profileContinuousSteps = true;
        QCOMPARE(plannedBySession(session, identity, "grpo").step.value, std::optional(9));
        identity.captureIndex = {4, "file name", Confidence::stated};
        QVERIFY(!plannedBySession(session, identity, "grpo").step.isKnown());
    }

    void manualIdentityOverridesSessionAndFile()
    {
        Tree tree;
        QVERIFY(saveSession(sessionOfRun(), tree.folder.path() / "grpo.yaml"));
        tree.addNsys({"critic", 3, 2}, "worker_process_2003.2.sqlite", true);
        const IdentityFile file = *IdentityFile::parse("path,rank,step\n*.sqlite,7,8\n", "who.csv");
        LoadOptions options;
        options.identities = &file;
        const LoadedInputs loaded = loadPaths(tree.paths, options);
        const Identity& identity = loaded.workspace.identity(ReportKey(0u));
        QCOMPARE(told(identity), std::string("critic rank 7 step 8"));
        QCOMPARE(identity.step.source, std::string("who.csv line 2"));
        QCOMPARE(loaded.workspace.reportIdentity(ReportKey(0u)).planned.step.value, std::optional(5));
    }
};

LOCKSTEP_TEST(IdentifiedTreeTest, "identified_tree_test")
#include "identified_tree_test.moc"
