// SPDX-License-Identifier: Apache-2.0
// SshSite runs real sshd processes on free ports of 127.0.0.1, each with its own host key and home folder, as
// nodes. The user has one key; an ssh configuration names each node by an alias. Everything is in one folder
// and ends with the object: sshds, their connections, and whatever was started on a node, each by its process
// id.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <QProcess>
#include <QStringList>

#include "core/remote/ssh_remote.h"
#include "tests/support/temp_dir.h"

namespace lockstep::test {

class SshNode {
  public:
    // Creates home; site has keys and configuration.
    SshNode(std::string alias, std::filesystem::path home, const std::filesystem::path& site);
    ~SshNode();

    const std::string& alias() const { return m_alias; }
    const std::filesystem::path& home() const { return m_home; }
    int port() const { return m_port; }
    // Returns false if sshd did not start in time; see log().
    bool start();
    // Ends sshd and its connections at once; programs on the node continue.
    void killSshd();
    std::filesystem::path write(const std::filesystem::path& name, std::string_view bytes) const;
    std::string log() const;
    // Returns the pids of processes with this home folder, except sshd, whose command line contains the text.
    std::vector<int> processes(std::string_view commandText = {}) const;
    // Sets a variable for everything started over ssh from now on; restarts sshd.
    void setEnvironment(const std::string& name, const std::string& value);
    // Creates a new host key, as after a reinstallation. Call between killSshd() and start().
    void changeHostKey();

  private:
    void writeConfig() const;

    std::string m_alias;
    std::filesystem::path m_home;
    std::filesystem::path m_site;
    std::string m_environment;    // of sshd_config's SetEnv
    std::filesystem::path m_keys; // folder of host key, configuration and log
    int m_port = 0;
    std::unique_ptr<QProcess> m_sshd;
};

class SshSite {
  public:
    // homes: folder names of the nodes, "node a" and the like; aliases are node0, node1, ...
    explicit SshSite(const std::vector<std::string>& homes);
    ~SshSite();

    // Returns why there are no nodes here; empty if all are running.
    const std::string& problem() const { return m_problem; }
    SshNode& node(size_t index) { return *m_nodes[index]; }
    size_t size() const { return m_nodes.size(); }
    const std::filesystem::path& folder() const { return m_folder.path(); }
    // Rewrites the ssh configuration with further aliases for a node, "alias7" and the like.
    void addAliases(size_t node, const std::vector<std::string>& aliases);
    // Adds an alias without a listener.
    void addDeadAlias(const std::string& alias);
    SshOptions options() const;
    // Returns the environment that lockstep needs to reach the nodes.
    QProcessEnvironment environment() const;
    // Ends the shared connections, as a reboot of this machine would.
    void closeConnections();

  private:
    void writeConfig();

    TempDir m_folder;
    std::vector<std::unique_ptr<SshNode>> m_nodes;
    std::vector<std::pair<std::string, int>> m_aliases; // alias, port
    std::string m_problem;
};

// Returns a port of 127.0.0.1 that was free a moment ago.
int freePort();

} // namespace lockstep::test
