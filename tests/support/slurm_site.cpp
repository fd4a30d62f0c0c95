// SPDX-License-Identifier: Apache-2.0
#include "tests/support/slurm_site.h"

#include <algorithm>
#include <csignal>
#include <fstream>

#include <QStandardPaths>
#include <QThread>
#include <unistd.h>

#include "tests/support/patience.h"
#include "tests/support/ssh_site.h"

namespace lockstep::test {

namespace fs = std::filesystem;

namespace {

QString text(const fs::path& path)
{
    return QString::fromStdString(path.string());
}

QString programNamed(const char* name)
{
    return QStandardPaths::findExecutable(name, qEnvironmentVariable("PATH").split(':') << "/usr/sbin"
                                                                                        << "/usr/bin");
}

} // namespace

SlurmSite::SlurmSite(fs::path folder, int nodes, std::string settings)
    : m_folder(std::move(folder)), m_config(m_folder / "slurm.conf"), m_settings(std::move(settings))
{
    for (const char* program : {"munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scontrol"}) {
        if (programNamed(program).isEmpty()) m_problem = std::string(program) + " is not installed";
    }
    if (::getuid() != 0) m_problem = "slurmd wants to be root";
    if (!m_problem.empty()) return;
    for (const char* part : {"state", "munge"})
        fs::create_directories(m_folder / part);
    writeConfig(nodes);
    if (!makeMunge() || !startDaemon("slurmctld", {"-D", "-f", text(m_config)})) return;
    m_controller = m_daemons.back().get();
    for (const std::string& node : m_nodes) {
        fs::create_directories(m_folder / "spool" / node);
        if (!startDaemon("slurmd", {"-D", "-N", QString::fromStdString(node), "-f", text(m_config)})) return;
    }
    // Prints one line per state of the nodes.
    const auto areUp = [this] { return told("sinfo", {"-h", "-o", "%T"}) == "idle\n"; };
    if (!waitUntil(areUp)) m_problem = "its nodes do not come up: " + told("sinfo", {"-h", "-o", "%T %E"});
}

void SlurmSite::writeConfig(int nodes)
{
    char host[256] = {};
    ::gethostname(host, sizeof(host) - 1);
    const std::string machine = std::string(host).substr(0, std::string(host).find('.'));
    std::ofstream file(m_config);
    file << "ClusterName=lockstep\nSlurmctldHost=" << machine << "(127.0.0.1)\nSlurmctldPort=" << freePort()
         << "\nSlurmUser=root\nSlurmdUser=root\nAuthType=auth/munge\nAuthInfo=socket="
         << (m_folder / "munge/socket").string() << "\nStateSaveLocation=" << (m_folder / "state").string()
         << "\nSlurmdSpoolDir=" << (m_folder / "spool").string()
         << "/%n\nSlurmctldPidFile=" << (m_folder / "ctld.pid").string()
         << "\nSlurmdPidFile=" << (m_folder / "slurmd-%n.pid").string()
         << "\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSelectType=select/cons_tres\n"
            "SelectTypeParameters=CR_Core\nMpiDefault=none\nReturnToService=2\nSlurmctldTimeout="
            "30\nSlurmdTimeout=60\n"
            "AccountingStorageType=accounting_storage/none\nJobAcctGatherType=jobacct_gather/"
            "none\nInactiveLimit=0\nKillWait=2\n"
            "SchedulerParameters=batch_sched_delay=0,sched_interval=1\n";
    for (int node = 0; node < nodes; ++node) {
        m_nodes.push_back(nodes == 1 ? machine : "node" + std::to_string(node));
        file << "NodeName=" << m_nodes.back() << " NodeHostname=" << machine
             << " NodeAddr=127.0.0.1 Port=" << freePort()
             << " CPUs=" << std::max(1, QThread::idealThreadCount()) << " State=UNKNOWN\n";
    }
    file << "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4\n"
         << m_settings;
}

void SlurmSite::stopController()
{
    m_controller->terminate();
    if (m_controller->waitForFinished(kPatience_ms)) return;
    m_controller->kill();
    m_controller->waitForFinished(kPatience_ms);
}

bool SlurmSite::startController()
{
    m_controller->setStandardOutputFile(text(m_folder / "slurmctld.log"), QIODevice::Append);
    m_controller->start();
    return m_controller->waitForStarted(kPatience_ms) &&
           waitUntil([this] { return told("scontrol", {"ping"}).find(" is UP") != std::string::npos; });
}

SlurmSite::~SlurmSite()
{
    // A job's daemon waits until a controller has received its end.
    if (m_controller != nullptr && m_controller->state() == QProcess::NotRunning) startController();
    if (!m_daemons.empty()) {
        told("scancel", {"--user=root"});
        waitUntil([this] { return told("squeue", {"-h"}).empty(); });
    }
    std::ranges::reverse(m_daemons);
    for (const auto& daemon : m_daemons) {
        daemon->terminate();
        if (!daemon->waitForFinished(kPatience_ms)) {
            daemon->kill();
            daemon->waitForFinished(kPatience_ms);
        }
    }
}

bool SlurmSite::makeMunge()
{
    const fs::path key = m_folder / "munge/key";
    std::ofstream(key, std::ios::binary) << std::string(1024, 'k');
    fs::permissions(key, fs::perms::owner_read | fs::perms::owner_write);
    const bool started = startDaemon("munged", {"--foreground", "--force", "--key-file=" + text(key),
                                                "--socket=" + text(m_folder / "munge/socket"),
                                                "--pid-file=" + text(m_folder / "munge/pid"),
                                                "--log-file=" + text(m_folder / "munge/log"),
                                                "--seed-file=" + text(m_folder / "munge/seed")});
    return started && (waitUntil([this] { return fs::exists(m_folder / "munge/socket"); }) ||
                       !(m_problem = "munged makes no socket").empty());
}

bool SlurmSite::startDaemon(const QString& program, const QStringList& arguments)
{
    m_daemons.push_back(std::make_unique<QProcess>());
    QProcess& daemon = *m_daemons.back();
    daemon.setProcessChannelMode(QProcess::MergedChannels);
    daemon.setStandardOutputFile(text(m_folder / (program.toStdString() + ".log")));
    daemon.start(programNamed(program.toUtf8().constData()), arguments);
    if (daemon.waitForStarted(kPatience_ms)) return true;
    m_problem = program.toStdString() + " does not start: " + daemon.errorString().toStdString();
    return false;
}

std::string SlurmSite::told(const QString& program, const QStringList& arguments) const
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("SLURM_CONF", text(m_config));
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    process.waitForFinished(kPatience_ms);
    if (const QByteArray errors = process.readAllStandardError(); !errors.isEmpty())
        qInfo("%s %s: %s", qPrintable(program), qPrintable(arguments.join(' ')), errors.constData());
    return process.readAllStandardOutput().toStdString();
}

} // namespace lockstep::test
