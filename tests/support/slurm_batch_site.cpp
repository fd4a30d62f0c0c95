// SPDX-License-Identifier: Apache-2.0
#include "tests/support/slurm_batch_site.h"

#include "core/batch/slurm_array.h"
#include "tests/support/patience.h"
#include "tests/support/ssh_site.h"

namespace lockstep::test {

// Slurm's commands give up after about MessageTimeout if the controller is unreachable.
SlurmBatchSite::SlurmBatchSite(const std::filesystem::path& folder) : m_slurm(folder, 2, "MessageTimeout=5\n")
{
}

bool SlurmBatchSite::prepare(BatchSite& site, int reports) const
{
    if (!m_slurm.problem().empty()) return false;
    for (int i = 0; i < reports - 1; ++i)
        site.addTrace("reports/rank" + std::to_string(1000 + i) + ".json", i);
    if (reports > 0) site.addRecording("reports/z.nsys-rep");
    site.setEnvironment("SLURM_CONF", QString::fromStdString(m_slurm.configFile().string()));
    site.plan =
        "inputs: [reports]\nexport: [inventory, cuda_gpu_kern_sum, stragglers]\nformat: json\noutput: out\n";
    site.writePlan(
        "launcher: slurm\ntasks: 8\nslurm: {partition: all, time: 10, options: [--cpus-per-task=1]}\n");
    return true;
}

QStringList SlurmBatchSite::running() const
{
    return lineListOf(m_slurm.told("squeue", {"-h", "-r", "-o", "%i %N"}));
}

bool SlurmBatchSite::endJobs() const
{
    if (!m_slurm.problem().empty() || running().isEmpty()) return true;
    m_slurm.told("scancel", {"--user=root"});
    return waitUntil([this] { return running().isEmpty(); });
}

QString jobOf(const BatchSite& site)
{
    const auto record = readSlurmRecord(site.folder() / "out/.batch/job.json");
    return record && *record ? QString::fromStdString((*record)->job) : QString();
}

QStringList lineListOf(const std::string& text)
{
    return QString::fromStdString(text).split('\n', Qt::SkipEmptyParts);
}

bool waitForText(QProcess& process, QByteArray& said, const QByteArray& text)
{
    return waitUntil([&] {
        said += process.readAllStandardError();
        return said.contains(text);
    });
}

int exitOf(QProcess& process, QByteArray& said)
{
    process.waitForFinished(kPatience_ms);
    said += process.readAllStandardError();
    return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
}

} // namespace lockstep::test
