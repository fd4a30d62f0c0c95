// SPDX-License-Identifier: Apache-2.0
// Tests runs of five verl releases over ssh, with a stand-in that writes the files which the profilers of
// that release write, see verl_stand_in.py. Every file must be expected, collected and verified, and no file
// may be reported as missing that the release does not write.
#include <set>

#include <sys/stat.h>

#include <QJsonArray>

#include "tests/support/run_site.h"
#include "tests/support/slurm_run.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;

namespace {

// Opens every stand-in report as the same small export.
constexpr const char* kNsys = R"(#!/bin/sh
case "$1 $2" in
"--version "*) echo "NVIDIA Nsight Systems version 2025.6.1.190-123v0" ;;
"export --help") echo "  -l, --lazy=  --include-json=  -f, --force-overwrite=" ;;
*)
    while [ $# -gt 0 ]; do [ "$1" = "-o" ] && target="$2"; shift; done
    cp "$(dirname "$0")/ready.db" "$target"
    ;;
esac
)";

constexpr const char* kExport = R"(
    CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
    INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT_VERSION', '2025.6.1.190');
    CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
    INSERT INTO StringIds VALUES(1, 'gemm');
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId INT, streamId INT,
        correlationId INT, globalPid INT, demangledName INT, shortName INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(10, 20, 0, 1, 7, 5, 281474993487872, 1, 1);)";

// One host with two GPUs and the stand-in as its verl.
class VerlSite : public RunSite {
  public:
    explicit VerlSite(const std::string& release) : RunSite({"head"})
    {
        if (!site().problem().empty()) return;
        SshNode& head = node(0);
        for (const char* file : {"verl/__init__.py", "verl/trainer/__init__.py", "nvtx.py", "state/files"})
            head.write(file, "");
        head.write("verl/trainer/main_ppo.py", contentOf(sourceFolder() / "tests/support/verl_stand_in.py"));
        head.write("verl/version/version", release);
        head.setEnvironment("VERL_STAND_IN", (head.home() / "state").string());
        head.setEnvironment("PYTHONPATH", head.home().string());
        const fs::path nsys = site().folder() / "nsys";
        fs::create_directories(nsys);
        std::ofstream(nsys / "nsys") << kNsys;
        fs::permissions(nsys / "nsys", fs::perms::owner_all);
        if (!runSql(nsys / "ready.db", kExport)) qFatal("cannot write the export");
        m_release = release;
    }

    std::string home() { return node(0).home().string(); }
    // session: further lines of the session; overrides: further arguments of the command, each after ", ".
    LockstepProcess start(const std::string& session, const std::string& overrides)
    {
        const std::string text = "name: era\nframework: verl\nschema: '" +
                                 (m_release == "0.6.1" ? "0.6.0" : m_release) + "'\nworking_folder: '" +
                                 home() + "'\nsave_path: '" + home() +
                                 "/traces'\nlauncher: {kind: ssh}\nhosts: [{name: node0, gpus: 2}]\n" +
                                 "command: [python3, -m, verl.trainer.main_ppo, trainer.n_gpus_per_node=2, "
                                 "trainer.total_training_steps=5, data.train_batch_size=64, "
                                 "actor_rollout_ref.actor.ppo_mini_batch_size=32" +
                                 overrides + "]\n" + session;
        const fs::path file = site().folder() / "session.yaml";
        std::ofstream(file) << text;
        QProcessEnvironment environment = site().environment();
        environment.insert("LOCKSTEP_NSYS_FOLDERS",
                           QString::fromStdString((site().folder() / "nsys").string()));
        // The host has neither Ray nor GPUs, which --force accepts.
        return LockstepProcess(environment, {"--run", QString::fromStdString(file.string()), "--force", "-o",
                                             QString::fromStdString(workspace().string())});
    }
    // Ray's temporary folder, as an override. The default, /tmp/ray, is shared by all tests.
    std::string ownRayFolder() { return ", '+ray_kwargs.ray_init._temp_dir=" + home() + "/ray'"; }

    // Returns the files that the workers wrote, at their last place.
    std::set<std::string> written()
    {
        std::set<std::string> files;
        std::istringstream lines(contentOf(node(0).home() / "state/files"));
        for (std::string word, path, target; lines >> word >> path;) {
            if (word == "moved") {
                lines >> target;
                files.erase(path);
                path = target;
            }
            files.insert(path);
        }
        return files;
    }

  private:
    std::string m_release;
};

// Ray's session folder has another name behind the link session_latest.
std::string realPath(const std::string& path)
{
    std::error_code ignored;
    const fs::path real = fs::canonical(path, ignored);
    return real.empty() ? path : real.string();
}

// Compares the collection status at the end of the run with the written files. Returns the differences.
QByteArray differences(LockstepProcess& process, const std::set<std::string>& written)
{
    const auto ledgers = process.linesWhere([](const QJsonObject& line) { return line["kind"] == "ledger"; });
    if (ledgers.empty()) return "no ledger: " + process.errors();
    QByteArray text;
    std::set<std::string> left;
    for (const std::string& path : written)
        left.insert(realPath(path));
    const QJsonArray entries = ledgers.back()["entries"].toArray();
    for (const QJsonValue& value : entries) {
        const QJsonObject entry = value.toObject();
        const std::string path = entry["path"].toString().toStdString();
        const QString state = entry["state"].toString();
        if (state == "absent") continue;
        const bool isKnown = left.erase(realPath(path)) > 0;
        if (isKnown && state == "verified" && entry["expected"].toBool()) continue;
        text += (isKnown        ? ""
                 : path.empty() ? "nobody wrote: "
                                : "found twice: ") +
                QJsonDocument(entry).toJson(QJsonDocument::Compact).left(700) + '\n';
    }
    for (const std::string& path : left)
        text += "not found: " + QByteArray::fromStdString(path) + '\n';
    return text;
}

} // namespace

class VerlRunTest : public QObject {
    Q_OBJECT

  private slots:
    void everyFileIsExpected_data()
    {
        QTest::addColumn<QString>("release");
        QTest::addColumn<QString>("session");
        QTest::addColumn<QString>("overrides");
        const QString grpo = ", algorithm.adv_estimator=grpo, actor_rollout_ref.actor.use_kl_loss=True";
        const QString roles =
            "roles: {actor: {enable: true, all_ranks: true}, critic: {enable: true, ranks: [1]}, "
            "ref: {enable: true, all_ranks: true}}\n";
        const QString actorOnly = "roles: {actor: {enable: true, ranks: [1]}}\n";
        const auto row = [](const QString& release, const QString& name, const QString& session,
                            const QString& overrides) {
            QTest::newRow((release + " " + name).toLatin1().constData()) << release << session << overrides;
        };
        for (const QString release : {"0.6.1", "0.7.1", "0.8.0", "0.9.0", "head"}) {
            const QString nsys = "tool: nsys\nsteps: [2, 3]\n", torch = "tool: torch\nsteps: [2, 4]\n";
            row(release, "nsys grpo", nsys + actorOnly, grpo);
            row(release, "nsys gae", nsys + "profile_continuous_steps: true\n" + roles, "");
            row(release, "nsys discrete grpo", nsys + "discrete: true\n" + actorOnly, grpo);
            row(release, "nsys discrete gae", nsys + "discrete: true\n" + roles, "");
            row(release, "memory gae", "tool: torch_memory\nsteps: [2, 3]\n" + roles, "");
            if (release == "head")
                row(release, "nsys moved",
                    nsys +
                        "hooks: {relocate_results: true}\nnsys: {controller_options: "
                        "{capture-range: cudaProfilerApi}}\n" +
                        roles,
                    "");
            if (release == "0.6.1") continue; // its torch tool does not work
            row(release, "torch grpo", torch + actorOnly, grpo);
            row(release, "torch gae", torch + roles, "");
            row(release, "torch discrete grpo", torch + "torch: {discrete: true}\n" + actorOnly, grpo);
            row(release, "torch discrete gae", torch + "torch: {discrete: true}\n" + roles,
                ", actor_rollout_ref.rollout.tensor_model_parallel_size=1");
        }
    }

    void everyFileIsExpected()
    {
        QFETCH(QString, release);
        QFETCH(QString, session);
        QFETCH(QString, overrides);
        VerlSite site(release.toStdString());
        LOCKSTEP_NEED_SITE(site);
        // verl moves reports only from Ray's default folder, which is the stand-in's own.
        const bool isMoved = session.contains("relocate_results");
        LockstepProcess process = site.start(
            session.toStdString(), overrides.toStdString() + (isMoved ? std::string() : site.ownRayFolder()));
        const int status = process.waitForEnd();
        const std::set<std::string> written = site.written();
        const QByteArray found = differences(process, written);
        QVERIFY2(status == 0 && !written.empty() && found.isEmpty(),
                 ("status " + QByteArray::number(status) + '\n' + found + process.errors()).constData());
    }

    // The recipe's failures are found in the output of the run, with their remedy.
    void failuresOfTheRecipeAreReported()
    {
        VerlSite site("0.9.0");
        LOCKSTEP_NEED_SITE(site);
        site.node(0).write(
            "verl/trainer/main_ppo.py",
            "raise AssertionError(\"nvtx is not available in CUDA platform. Please 'pip3 install nvtx'\")\n");
        LockstepProcess process = site.start("tool: nsys\nsteps: [2]\nroles: {actor: {enable: true}}\n", "");
        QVERIFY(process.waitForEnd() != 0);
        const auto found = process.linesWhere(
            lineOf("error", "node0", [](const QJsonObject& line) { return line["failure"] == "verl.nvtx"; }));
        QVERIFY2(found.size() == 1, process.errors().constData());
        QCOMPARE(found[0]["text"].toString(), "The Python module nvtx is missing: pip install nvtx");
        QVERIFY(found[0]["line"].toString().contains("nvtx is not available"));
    }
};

LOCKSTEP_TEST(VerlRunTest, "verl_run_test")
#include "verl_run_test.moc"
