// SPDX-License-Identifier: Apache-2.0
// SlurmSite is a real Slurm on 127.0.0.1 for a test: munged, slurmctld and one slurmd per node with keys,
// state and sockets in its own folder, ended by process id. Processes are tracked by parentage and tasks are
// not bound, so that neither cgroups nor a special kernel is needed.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <QProcess>

namespace lockstep::test {

class SlurmSite {
  public:
    // A single node has the name of this machine; several are "node0", "node1" ..., and all are this machine.
    // settings: further lines of slurm.conf.
    explicit SlurmSite(std::filesystem::path folder, int nodes = 1, std::string settings = {});
    ~SlurmSite();

    // Returns why there is no Slurm here; empty if its node accepts jobs.
    const std::string& problem() const { return m_problem; }
    const std::filesystem::path& configFile() const { return m_config; }
    // Returns the name of its first node.
    const std::string& node() const { return m_nodes.front(); }
    // Returns the standard output of a Slurm command.
    std::string told(const QString& program, const QStringList& arguments) const;
    // Ends the controller, as a restart does. Jobs keep running and the state is stored.
    void stopController();
    // Returns false if it does not answer within 20 seconds.
    bool startController();

  private:
    bool startDaemon(const QString& program, const QStringList& arguments);
    bool makeMunge();
    void writeConfig(int nodes);

    std::filesystem::path m_folder, m_config;
    std::vector<std::string> m_nodes;
    std::string m_settings, m_problem;
    std::vector<std::unique_ptr<QProcess>> m_daemons;
    QProcess* m_controller = nullptr; // one of the processes
};

} // namespace lockstep::test
