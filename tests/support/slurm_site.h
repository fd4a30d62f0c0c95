// SPDX-License-Identifier: Apache-2.0
// SlurmSite: a real Slurm on 127.0.0.1 for a test: munged, slurmctld and one slurmd with keys, state and
// sockets in a folder of its own, ended by process id. Processes are tracked by parentage and tasks are not
// bound, so that no cgroups and no special kernel are needed.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <QProcess>

namespace lockstep::test {

class SlurmSite {
  public:
    explicit SlurmSite(std::filesystem::path folder);
    ~SlurmSite();

    // Why there is no Slurm here; empty when its node takes jobs.
    const std::string& problem() const { return m_problem; }
    const std::filesystem::path& configFile() const { return m_config; }
    // Name of its one node.
    const std::string& node() const { return m_node; }
    // Standard output of one of Slurm's commands.
    std::string told(const QString& program, const QStringList& arguments) const;

  private:
    bool startDaemon(const QString& program, const QStringList& arguments);
    bool makeMunge();

    std::filesystem::path m_folder, m_config;
    std::string m_node;
    std::string m_problem;
    std::vector<std::unique_ptr<QProcess>> m_daemons;
};

} // namespace lockstep::test
