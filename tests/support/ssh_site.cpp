// SPDX-License-Identifier: Apache-2.0
#include "tests/support/ssh_site.h"

#include <csignal>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include <QElapsedTimer>
#include <QTest>
#include <arpa/inet.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/text.h"
#include "tests/support/patience.h"

namespace lockstep::test {

namespace fs = std::filesystem;

namespace {

std::string textOf(const fs::path& path)
{
    // Doesn't use iterators: they throw if a file of /proc disappears while it is read.
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

void writeText(const fs::path& path, const std::string& text)
{
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

bool makeKey(const fs::path& path)
{
    fs::remove(path);
    return QProcess::execute("ssh-keygen", {"-q", "-t", "ed25519", "-N", "", "-C", "test", "-f",
                                            QString::fromStdString(path.string())}) == 0;
}

std::string userName()
{
    const passwd* const entry = ::getpwuid(::getuid());
    return entry != nullptr ? entry->pw_name : "root";
}

// Field 4 of /proc/PID/stat, after the name in parentheses.
int parentOf(int pid)
{
    const std::string text = textOf("/proc/" + std::to_string(pid) + "/stat");
    const size_t end = text.rfind(')');
    if (end == std::string::npos) return 0;
    std::istringstream rest(text.substr(end + 1));
    std::string state;
    int parent = 0;
    rest >> state >> parent;
    return parent;
}

std::vector<int> allPids()
{
    std::vector<int> pids;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
        if (const auto pid = parseInt(entry.path().filename().string()))
            pids.push_back(static_cast<int>(*pid));
    }
    return pids;
}

bool isListening(int port)
{
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool connects = ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    ::close(fd);
    return connects;
}

} // namespace

int freePort()
{
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    const bool isBound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                         ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    ::close(fd);
    return isBound ? ntohs(address.sin_port) : 0;
}

SshNode::SshNode(std::string alias, fs::path home, const fs::path& site)
    : m_alias(std::move(alias)), m_home(std::move(home)), m_site(site), m_keys(site / ("sshd-" + m_alias)),
      m_port(freePort())
{
    fs::create_directories(m_home);
    fs::create_directories(m_keys);
    makeKey(m_keys / "host_key");
    writeConfig();
}

void SshNode::setEnvironment(const std::string& name, const std::string& value)
{
    m_environment += " \"" + name + "=" + value + "\"";
    writeConfig();
    killSshd();
    if (!start()) qWarning("sshd of %s did not restart: %s", m_alias.c_str(), log().c_str());
}

void SshNode::writeConfig() const
{
    // sshd takes HOME from the user database, so each simulated node needs its own.
    writeText(m_keys / "sshd_config",
              "Port " + std::to_string(m_port) + "\nListenAddress 127.0.0.1\nHostKey " +
                  (m_keys / "host_key").string() + "\nAuthorizedKeysFile " +
                  (m_site / "user_key.pub").string() +
                  "\nPidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\n"
                  "KbdInteractiveAuthentication no\nPermitRootLogin yes\nUseDNS no\nPrintMotd no\n"
                  "MaxStartups 100\nMaxSessions 64\n"
                  "SetEnv \"HOME=" +
                  m_home.string() + "\" LOCKSTEP_TEST_NODE=" + m_alias + m_environment +
                  "\nForceCommand cd \"$HOME\" && exec /bin/sh -c \"$SSH_ORIGINAL_COMMAND\"\n");
}

SshNode::~SshNode()
{
    killSshd();
    for (int round = 0; round < 10; ++round) {
        const std::vector<int> left = processes();
        for (const int pid : left)
            ::kill(pid, SIGKILL);
        if (left.empty()) return;
        QTest::qWait(20);
    }
}

bool SshNode::start()
{
    if (::getuid() == 0) fs::create_directories("/run/sshd");
    m_sshd = std::make_unique<QProcess>();
    m_sshd->setStandardErrorFile(QString::fromStdString((m_keys / "log").string()), QIODevice::Append);
    m_sshd->start("/usr/sbin/sshd",
                  {"-D", "-e", "-f", QString::fromStdString((m_keys / "sshd_config").string())});
    return waitUntil([this] { return isListening(m_port) || m_sshd->state() == QProcess::NotRunning; }) &&
           m_sshd->state() != QProcess::NotRunning;
}

void SshNode::killSshd()
{
    if (!m_sshd) return;
    std::set<int> tree{static_cast<int>(m_sshd->processId())};
    for (size_t before = 0; before != tree.size();) {
        before = tree.size();
        for (const int pid : allPids()) {
            const bool isSshd = textOf("/proc/" + std::to_string(pid) + "/comm").starts_with("sshd");
            if (isSshd && tree.contains(parentOf(pid))) tree.insert(pid);
        }
    }
    for (const int pid : tree) {
        if (pid > 1) ::kill(pid, SIGKILL);
    }
    m_sshd->waitForFinished(kPatience_ms);
    m_sshd.reset();
}

fs::path SshNode::write(const fs::path& name, std::string_view bytes) const
{
    writeText(m_home / name, std::string(bytes));
    return m_home / name;
}

std::string SshNode::log() const
{
    return textOf(m_keys / "log");
}

std::vector<int> SshNode::processes(std::string_view commandText) const
{
    std::vector<int> found;
    const std::string mark = "LOCKSTEP_TEST_NODE=" + m_alias + '\0';
    const std::string home = "HOME=" + m_home.string() + '\0';
    for (const int pid : allPids()) {
        const fs::path folder = "/proc/" + std::to_string(pid);
        const std::string environment = textOf(folder / "environ");
        if (environment.find(mark) == std::string::npos || environment.find(home) == std::string::npos)
            continue;
        if (textOf(folder / "cmdline").find(commandText) != std::string::npos) found.push_back(pid);
    }
    return found;
}

void SshNode::changeHostKey()
{
    makeKey(m_keys / "host_key");
}

SshSite::SshSite(const std::vector<std::string>& homes)
{
    if (!fs::exists("/usr/sbin/sshd")) {
        m_problem = "sshd is not installed (openssh-server)";
        return;
    }
    fs::create_directories(folder() / "control");
    fs::permissions(folder() / "control", fs::perms::owner_all);
    makeKey(folder() / "user_key");
    for (const std::string& home : homes) {
        m_nodes.push_back(
            std::make_unique<SshNode>("node" + std::to_string(m_nodes.size()), folder() / home, folder()));
        SshNode& node = *m_nodes.back();
        m_aliases.emplace_back(node.alias(), node.port());
        if (!node.start()) m_problem = "sshd does not start: " + node.log();
    }
    std::string known;
    for (const auto& node : m_nodes) {
        std::istringstream key(textOf(folder() / ("sshd-" + node->alias()) / "host_key.pub"));
        std::string type, text;
        key >> type >> text;
        known += "[127.0.0.1]:" + std::to_string(node->port()) + " " + type + " " + text + "\n";
    }
    writeText(folder() / "known_hosts", known);
    writeConfig();
}

SshSite::~SshSite()
{
    closeConnections();
}

void SshSite::writeConfig()
{
    std::string text;
    for (const auto& [alias, port] : m_aliases)
        text += "Host " + alias + "\n  HostName 127.0.0.1\n  Port " + std::to_string(port) + "\n";
    text += "Host *\n  User " + userName() + "\n  IdentityFile " + (folder() / "user_key").string() +
            "\n  IdentitiesOnly yes\n  UserKnownHostsFile " + (folder() / "known_hosts").string() +
            "\n  GlobalKnownHostsFile " + (folder() / "nothing").string() +
            "\n  StrictHostKeyChecking yes\n  UpdateHostKeys no\n";
    writeText(folder() / "ssh_config", text);
}

void SshSite::addAliases(size_t node, const std::vector<std::string>& aliases)
{
    for (const std::string& alias : aliases)
        m_aliases.emplace_back(alias, m_nodes[node]->port());
    writeConfig();
}

void SshSite::addDeadAlias(const std::string& alias)
{
    m_aliases.emplace_back(alias, freePort());
    writeConfig();
}

SshOptions SshSite::options() const
{
    SshOptions options;
    options.configFile = folder() / "ssh_config";
    options.controlFolder = folder() / "control";
    options.connectTimeout_s = 5;
    return options;
}

QProcessEnvironment SshSite::environment() const
{
    const auto text = [](const fs::path& path) { return QString::fromStdString(path.string()); };
    QProcessEnvironment environment;
    environment.insert("PATH", qEnvironmentVariable("PATH"));
    environment.insert("HOME", text(folder() / "user"));
    environment.insert("LC_ALL", "C");
    environment.insert("LOCKSTEP_SSH_CONFIG", text(folder() / "ssh_config"));
    environment.insert("LOCKSTEP_SSH_CONTROL", text(folder() / "control"));
    environment.insert("LOCKSTEP_STATE_HOME", text(folder() / "state"));
    addSanitizerOptions(environment);
    return environment;
}

void SshSite::closeConnections()
{
    for (const auto& [alias, port] : m_aliases) {
        const std::vector<std::string> words = SshRemote(alias, options()).closeCommand();
        QStringList arguments;
        for (size_t i = 1; i < words.size(); ++i)
            arguments << QString::fromStdString(words[i]);
        QProcess ssh;
        ssh.setProcessChannelMode(QProcess::MergedChannels);
        ssh.start("ssh", arguments);
        ssh.waitForFinished(kPatience_ms);
    }
}

} // namespace lockstep::test
