// SPDX-License-Identifier: Apache-2.0
// SlurmBatchSite is a Slurm of two nodes, node0 and node1, that runs the batches of BatchSites.
#pragma once

#include "tests/support/batch_site.h"
#include "tests/support/slurm_site.h"

namespace lockstep::test {

// Arguments of the direct export that writes the same tables.
inline const QStringList kSlurmBatchWords{"inventory,cuda_gpu_kern_sum,stragglers", "--format", "json",
                                          "reports"};

class SlurmBatchSite {
  public:
    static constexpr int kReports = 200;

    explicit SlurmBatchSite(const std::filesystem::path& folder);

    SlurmSite& slurm() { return m_slurm; }
    // Adds reports, the last of which is z.nsys-rep, and a plan of 8 tasks. Returns false if there is no
    // Slurm.
    bool prepare(BatchSite& site, int reports = kReports) const;
    // Returns "JOB_TASK NODE" of each task that Slurm has not ended.
    QStringList running() const;
    // Cancels all jobs, for the test after a failed one. Returns false if they do not end.
    bool endJobs() const;

  private:
    SlurmSite m_slurm;
};

// Returns the job that the batch has recorded; empty if unknown.
QString jobOf(const BatchSite& site);
QStringList lineListOf(const std::string& text);
// Appends standard error of the process to `said` until the text is in it.
bool waitForText(QProcess& process, QByteArray& said, const QByteArray& text);
// Waits for the end. Returns -1 if a signal ended the process.
int exitOf(QProcess& process, QByteArray& said);

} // namespace lockstep::test
