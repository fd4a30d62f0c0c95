// SPDX-License-Identifier: Apache-2.0
// SlurmSite: a real Slurm on 127.0.0.1 for a test: munged, slurmctld and a slurmd a node with keys, state and
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
    // One node has this machine's name; several are "node0", "node1" ..., and all are this machine. settings:
    // further lines of slurm.conf.
    explicit SlurmSite(std::filesystem::path folder, int nodes = 1, std::string settings = {});
    ~SlurmSite();

    // Why there is no Slurm here; empty when its node takes jobs.
    const std::string& problem() const { return m_problem; }
    const std::filesystem::path& configFile() const { return m_config; }
    // Name of its first node.
    const std::string& node() const { return m_nodes.front(); }
    // Standard output of one of Slurm's commands.
    std::string told(const QString& program, const QStringList& arguments) const;
    // Ends the controller, as a restart of it does. Jobs keep running and the state is stored.
    void stopController();
    // False where it does not answer within 20 seconds.
    bool startController();

  private:
    bool startDaemon(const QString& program, const QStringList& arguments);
    bool makeMunge();
    void writeConfig(int nodes);

    std::filesystem::path m_folder, m_config;
    std::vector<std::string> m_nodes;
    std::string m_settings, m_problem;
    std::vector<std::unique_ptr<QProcess>> m_daemons;
    QProcess* m_controller = nullptr; // one of them
};

} // namespace lockstep::test
