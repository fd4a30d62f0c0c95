// SPDX-License-Identifier: Apache-2.0
// SshSite: real sshd processes on free ports of 127.0.0.1, each with its own host key and home folder: nodes
// to run on. The user has one key; an ssh configuration names each node by an alias. Everything lives in one
// folder and ends with the object: sshds, their connections, and whatever was started on a node, each by its
// process id.
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
    // home is made; site holds keys and configuration.
    SshNode(std::string alias, std::filesystem::path home, const std::filesystem::path& site);
    ~SshNode();

    const std::string& alias() const { return m_alias; }
    const std::filesystem::path& home() const { return m_home; }
    int port() const { return m_port; }
    // False when sshd did not come up in time; see log().
    bool start();
    // Ends sshd and its connections at once; what runs on the node goes on.
    void killSshd();
    std::filesystem::path write(const std::filesystem::path& name, std::string_view bytes) const;
    std::string log() const;
    // Pids of what runs with this home folder, sshd apart, whose command line holds the text.
    std::vector<int> processes(std::string_view commandText = {}) const;
    // A variable for what is started over ssh from now on; starts sshd anew.
    void setEnvironment(const std::string& name, const std::string& value);
    // A new host key, as after a reinstallation. Call between killSshd() and start().
    void changeHostKey();

  private:
    void writeConfig() const;

    std::string m_alias;
    std::filesystem::path m_home;
    std::filesystem::path m_site;
    std::string m_environment;    // of sshd_config's SetEnv
    std::filesystem::path m_keys; // folder of host key, configuration, log
    int m_port = 0;
    std::unique_ptr<QProcess> m_sshd;
};

class SshSite {
  public:
    // homes: folder names of the nodes, "node a" and the like; aliases are node0, node1, ...
    explicit SshSite(const std::vector<std::string>& homes);
    ~SshSite();

    // Why there are no nodes here; empty when all are up.
    const std::string& problem() const { return m_problem; }
    SshNode& node(size_t index) { return *m_nodes[index]; }
    size_t size() const { return m_nodes.size(); }
    const std::filesystem::path& folder() const { return m_folder.path(); }
    // Rewrites the ssh configuration with further aliases for a node, "alias7" and the like.
    void addAliases(size_t node, const std::vector<std::string>& aliases);
    // An alias that nothing listens behind.
    void addDeadAlias(const std::string& alias);
    SshOptions options() const;
    // What lockstep needs in its environment to reach the nodes.
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

// A port of 127.0.0.1 that was free a moment ago.
int freePort();
// Waits for a condition with the event loop running; false after the deadline.
bool waitFor(const std::function<bool()>& condition, int deadline_ms = 30'000);

} // namespace lockstep::test
