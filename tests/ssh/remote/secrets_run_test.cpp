// SPDX-License-Identifier: Apache-2.0
// Tests secrets in a whole run on real hosts: the program gets them; no file on either side and no command
// line contains them; all files of a run are accessible only to its user.
#include <csignal>
#include <fstream>
#include <set>
#include <sstream>

#include <sys/stat.h>

#include "core/base/sha256.h"
#include "tests/support/run_site.h"
#include "tests/support/slurm_site.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* kValue = "wb-4711-\"'$(x)\\-secret";
constexpr const char* kOwnValue = "own-0815-secret";
// Confirms that it has the secrets without printing them.
constexpr std::string_view kSecretsProgram = R"py(
import hashlib, os, runpy, sys
for name in ("WANDB_API_KEY", "DSN", "MY_PASSWORD"):
    print(name, hashlib.sha256(os.fsencode(os.environ.get(name, "none"))).hexdigest(), flush=True)
sys.argv = sys.argv[1:]
runpy.run_path("train.py", run_name="__main__")
)py";

std::string bytesOf(const fs::path& path)
{
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

bool holdsSecret(const std::string& text)
{
    return text.find("4711-") != std::string::npos || text.find(kOwnValue) != std::string::npos;
}

// Files may appear and disappear meanwhile, such as those of ssh's connections.
std::vector<fs::path> allBelow(const fs::path& folder)
{
    std::vector<fs::path> paths;
    std::error_code error;
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        paths.push_back(at->path());
    return paths;
}

// Returns the files below the folder that contain a value.
std::set<std::string> filesWithSecret(const fs::path& folder)
{
    std::set<std::string> found;
    for (const fs::path& path : allBelow(folder)) {
        std::error_code gone;
        if (fs::is_regular_file(path, gone) && holdsSecret(bytesOf(path))) found.insert(path.string());
    }
    return found;
}

// Returns everything below the folder, including the folder itself, that other users may read.
std::set<std::string> openToOthers(const fs::path& folder)
{
    std::set<std::string> found;
    const auto look = [&found](const fs::path& path) {
        struct stat status = {};
        if (::lstat(path.c_str(), &status) != 0) {
            found.insert(path.string() + " is not there");
        } else if (!S_ISLNK(status.st_mode) && (status.st_mode & 077) != 0) {
            found.insert(path.string());
        }
    };
    look(folder);
    for (const fs::path& path : allBelow(folder))
        look(path);
    return found;
}

size_t commandLinesWithSecret()
{
    size_t count = 0;
    std::error_code error;
    for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error))
        count += holdsSecret(bytesOf(at->path() / "cmdline")) ? 1 : 0;
    return count;
}

std::string digestOf(const char* text)
{
    return Sha256::of(text);
}

std::string outputOf(const LockstepProcess& process, const QString& host)
{
    std::string text;
    for (const QJsonObject& line : process.linesWhere(lineOf("stdout", host)))
        text += line["text"].toString().toStdString();
    return text;
}

QString joined(const std::set<std::string>& names)
{
    QString text;
    for (const std::string& name : names)
        text += QString::fromStdString(name) + "\n";
    return text;
}

#define QVERIFY_NONE(names) QVERIFY2((names).empty(), qPrintable(joined(names)))

// A session file with one value in clear text, one from the environment, and one that is marked as secret.
void provideSecrets(RunSite& site)
{
    for (size_t i = 0; i < site.site().size(); ++i)
        site.node(i).write("keyed.py", kSecretsProgram);
    site.config().command = {"python3", "keyed.py", "train.py", "2"};
    site.config().secrets = {"DSN"};
    site.config().environment = {{"WANDB_API_KEY", "$WANDB_API_KEY"}, {"PLAIN", "open value"}};
}

QProcessEnvironment launching(const RunSite& site)
{
    QProcessEnvironment environment = const_cast<RunSite&>(site).site().environment();
    environment.insert("WANDB_API_KEY", kValue);
    environment.insert("DSN", kValue);
    return environment;
}

} // namespace

class SecretsRunTest : public QObject {
    Q_OBJECT

  private slots:
    void writtenNowhereOnEitherSide()
    {
        ::umask(022); // as on most machines
        RunSite site({"a", "b"});
        LOCKSTEP_NEED_SITE(site);
        provideSecrets(site);
        site.hold(1, 1);
        const fs::path session = site.site().folder() / "session.yaml";
        std::ofstream(session) << yamlFromSession(site.config()) << "\n";
        // Written manually, because saving would leave it out.
        std::string text = bytesOf(session);
        text.insert(text.find("environment:\n") + 13, "  MY_PASSWORD: " + std::string(kOwnValue) + "\n");
        std::ofstream(session) << text;
        LockstepProcess process(launching(site), {"--run", QString::fromStdString(session.string()), "-o",
                                                  QString::fromStdString(site.workspace().string())});
        const bool isHolding = process.waitForLine(lineOf("step", "node1"));
        if (!isHolding) qWarning() << process.errors();
        QVERIFY(isHolding);
        QCOMPARE(commandLinesWithSecret(), size_t(0));
        site.release(1, 1);
        QCOMPARE(process.waitForEnd(), 0);
        for (const char* host : {"node0", "node1"}) {
            const std::string told = outputOf(process, host);
            QVERIFY2(told.find("WANDB_API_KEY " + digestOf(kValue)) != std::string::npos, told.c_str());
            QVERIFY(told.find("DSN " + digestOf(kValue)) != std::string::npos);
            QVERIFY(told.find("MY_PASSWORD " + digestOf(kOwnValue)) != std::string::npos);
        }
        QVERIFY(process.errors().contains("the session contains the value of MY_PASSWORD"));
        std::set<std::string> found = filesWithSecret(site.site().folder());
        found.erase(session.string());
        QVERIFY_NONE(found);
        for (size_t i = 0; i < 2; ++i) {
            const auto open = openToOthers(site.node(i).home() / ".local/state/lockstep/agent-runs");
            QVERIFY_NONE(open);
        }
        QVERIFY_NONE(openToOthers(site.site().folder() / "state/runs"));
        QVERIFY_NONE(openToOthers(site.workspace().parent_path()));
        // The program's own files have the permissions of its user's umask.
        struct stat report = {};
        QCOMPARE(::stat((site.node(0).home() / "reports/rank0_step1.json").c_str(), &report), 0);
        QCOMPARE(report.st_mode & 0777, mode_t(0644));
    }

    void missingValueIsNamed()
    {
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        provideSecrets(site);
        QProcessEnvironment environment = launching(site);
        environment.remove("WANDB_API_KEY");
        const fs::path session = site.site().folder() / "session.yaml";
        QVERIFY(saveSession(site.config(), session));
        const QStringList words{"--run", QString::fromStdString(session.string()), "-o",
                                QString::fromStdString(site.workspace().string())};
        LockstepProcess refused(environment, words);
        QCOMPARE(refused.waitForEnd(), 1);
        QVERIFY2(refused.errors().contains("WANDB_API_KEY is a secret and has no value"),
                 refused.errors().constData());
        QVERIFY(!fs::exists(site.node(0).home() / "reports"));
        LockstepProcess forced(environment, words + QStringList{"--force"});
        QCOMPARE(forced.waitForEnd(), 0);
        QVERIFY(outputOf(forced, "node0").find("WANDB_API_KEY " + digestOf("none")) != std::string::npos);
    }

    void slurmJobGetsTheSecrets()
    {
        RunSite site({"login"});
        LOCKSTEP_NEED_SITE(site);
        const SlurmSite slurm(site.site().folder() / "slurm");
        if (!slurm.problem().empty()) QSKIP(slurm.problem().c_str());
        site.node(0).setEnvironment("SLURM_CONF", slurm.configFile().string());
        provideSecrets(site);
        site.config().hosts.clear();
        site.config().launcher.kind = LauncherKind::slurm;
        site.config().launcher.loginNode = "node0";
        site.config().launcher.slurmOptions = {"--ntasks=1", "--nodes=1"};
        const fs::path session = site.site().folder() / "session.yaml";
        QVERIFY(saveSession(site.config(), session));
        LockstepProcess process(launching(site), {"--run", QString::fromStdString(session.string()), "-o",
                                                  QString::fromStdString(site.workspace().string())});
        const int status = process.waitForEnd();
        if (status != 0) qWarning() << process.errors();
        QCOMPARE(status, 0);
        QVERIFY(outputOf(process, "node0").find("WANDB_API_KEY " + digestOf(kValue)) != std::string::npos);
        std::set<std::string> found = filesWithSecret(site.site().folder());
        // Slurm itself stores a job's environment, accessible only to its user and root.
        std::erase_if(found, [&slurm](const std::string& path) {
            return path.starts_with(slurm.configFile().parent_path().string());
        });
        QVERIFY_NONE(found);
    }
};

LOCKSTEP_TEST(SecretsRunTest, "secrets_run_test")
#include "secrets_run_test.moc"
