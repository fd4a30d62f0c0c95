// SPDX-License-Identifier: Apache-2.0
#include "core/remote/ssh_remote.h"

#include <array>
#include <cstdlib>

#include <sys/stat.h>
#include <unistd.h>

#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/session/shell_quote.h"

namespace lockstep {

namespace fs = std::filesystem;

namespace {

constexpr int kSshFailed = 255; // exit status of ssh itself if the connection failed

struct ErrorPattern {
    std::string_view needle; // text printed by OpenSSH
    LinkFailure failure;
    std::string_view text; // meaning and remedy
};

constexpr std::string_view kCheckKeys =
    "the host accepts none of your keys; add one to the agent (ssh-add), name it in ~/.ssh/config "
    "(IdentityFile), or add the public key to the host's authorized_keys. Lockstep never prompts for "
    "passwords";

// Ordered by significance, because the first match is used.
constexpr std::array<ErrorPattern, 23> kErrorPatterns{{
    {"REMOTE HOST IDENTIFICATION HAS CHANGED", LinkFailure::hostKey,
     "its host key differs from the one in known_hosts: another machine responds at this address, or the "
     "host was reinstalled. Ask its administrator; if it was reinstalled, remove the old key with ssh-keygen "
     "-R and connect once manually"},
    {"REVOKED HOST KEY", LinkFailure::hostKey,
     "its host key was revoked; do not connect, ask its administrator"},
    {"Host key verification failed", LinkFailure::hostKey,
     "its host key is not in known_hosts; connect once manually with ssh, compare the fingerprint, and "
     "accept "
     "it"},
    {"host key is known for", LinkFailure::hostKey,
     "its host key is not in known_hosts; connect once manually with ssh, compare the fingerprint, and "
     "accept "
     "it"},
    {"Too many authentication failures", LinkFailure::authentication,
     "the ssh agent offered too many keys; name the right one in ~/.ssh/config with IdentityFile and "
     "IdentitiesOnly yes"},
    {"Permission denied (", LinkFailure::authentication, kCheckKeys},
    {"No more authentication methods", LinkFailure::authentication, kCheckKeys},
    {"Bad configuration option", LinkFailure::configuration, "ssh does not understand its configuration"},
    {"Bad owner or permissions", LinkFailure::configuration,
     "ssh rejects its configuration file: you must own it, and it must not be writable by others"},
    {"Can't open user config file", LinkFailure::configuration, "the ssh configuration file cannot be read"},
    {"no such identity", LinkFailure::authentication,
     "a key file named in the ssh configuration does not exist"},
    {"unix_listener", LinkFailure::configuration, "the folder for ssh's control sockets cannot be used"},
    {"Could not resolve hostname", LinkFailure::unreachable,
     "its name cannot be resolved; check the address, ~/.ssh/config, and whether the VPN is up"},
    {"Connection refused", LinkFailure::unreachable,
     "nothing listens on its port; check that sshd is running, and the port in ~/.ssh/config"},
    {"No route to host", LinkFailure::unreachable, "there is no route to it; check the network and the VPN"},
    {"Network is unreachable", LinkFailure::unreachable,
     "there is no route to it; check the network and the VPN"},
    {"Connection timed out", LinkFailure::unreachable,
     "it did not respond in time; check that it is up and not behind a firewall"},
    {"Operation timed out", LinkFailure::unreachable,
     "it did not respond in time; check that it is up and not behind a firewall"},
    {"timed out during banner", LinkFailure::unreachable, "it did not respond in time; it may be overloaded"},
    {"kex_exchange_identification", LinkFailure::unreachable,
     "it closed the connection at once; sshd may be starting, or limits new connections (MaxStartups)"},
    {"not responding", LinkFailure::lost, "it stopped responding"},
    {"Connection closed", LinkFailure::lost, "the connection was closed"},
    {"Connection reset", LinkFailure::lost, "the connection was reset"},
}};

const ErrorPattern* findErrorPattern(std::string_view errorText)
{
    for (const ErrorPattern& pattern : kErrorPatterns) {
        if (errorText.find(pattern.needle) != std::string_view::npos) return &pattern;
    }
    return nullptr;
}

std::string sshLine(std::string_view errorText, std::string_view needle)
{
    const size_t at = errorText.find(needle);
    if (at == std::string_view::npos) return {};
    const size_t begin = errorText.rfind('\n', at) + 1; // if there is no newline, npos + 1 is 0
    size_t end = errorText.find_first_of("\r\n", at);
    if (end == std::string_view::npos) end = errorText.size();
    return repairedUtf8(errorText.substr(begin, end - begin));
}

// sun_path has 108 bytes. ssh appends 17 bytes while it creates the socket, and the socket name has 24 bytes.
constexpr size_t kLongestFolder = 60;

} // namespace

SshOptions sshOptionsFromEnvironment()
{
    SshOptions options;
    if (const char* file = std::getenv("LOCKSTEP_SSH_CONFIG")) options.configFile = file;
    if (const char* words = std::getenv("LOCKSTEP_SSH_OPTIONS")) {
        if (auto split = splitShellWords(words)) options.extraArguments = std::move(split->words);
    }
    if (const char* folder = std::getenv("LOCKSTEP_SSH_CONTROL")) options.controlFolder = folder;
    return options;
}

Result<fs::path> controlFolder(const fs::path& desired)
{
    fs::path folder = desired;
    if (folder.empty()) {
        const char* runtime = std::getenv("XDG_RUNTIME_DIR");
        folder = runtime != nullptr && *runtime == '/' ? fs::path(runtime) / "lockstep-ssh" : fs::path();
    }
    if (folder.empty() || folder.native().size() > kLongestFolder) {
        folder = fs::temp_directory_path() / ("lockstep-ssh-" + std::to_string(::getuid()));
    }
    std::error_code ignored;
    fs::create_directories(folder.parent_path(), ignored);
    ::mkdir(folder.c_str(), 0700);
    struct stat status = {};
    // The owner of the sockets controls the connections, so a folder that belongs to another user is
    // rejected.
    if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::getuid() ||
        (status.st_mode & 077) != 0) {
        return makeError(ErrorKind::io, folder.string() +
                                            ": cannot be used for ssh's control sockets: it must be a "
                                            "folder that you own, with mode 0700");
    }
    return folder;
}

SshRemote::SshRemote(std::string address, SshOptions options)
    : m_address(std::move(address)), m_options(std::move(options))
{
}

std::vector<std::string> SshRemote::optionArguments() const
{
    std::vector<std::string> words{m_options.program};
    if (!m_options.configFile.empty()) words.insert(words.end(), {"-F", m_options.configFile.string()});
    const auto add = [&words](std::string option) {
        words.push_back("-o");
        words.push_back(std::move(option));
    };
    add("BatchMode=yes");
    add("RemoteCommand=none");
    add("ConnectTimeout=" + std::to_string(m_options.connectTimeout_s));
    add("ServerAliveInterval=" + std::to_string(m_options.keepAlive_s));
    add("ServerAliveCountMax=3");
    if (const auto folder = controlFolder(m_options.controlFolder)) {
        // There is one connection for each address as written, because two aliases for one machine may stand
        // for two users or two routes.
        const std::string key = Sha256::of(m_options.configFile.string() + '\n' +
                                           shellLine(m_options.extraArguments) + '\n' + m_address);
        add("ControlMaster=auto");
        add("ControlPath=" + (*folder / key.substr(0, 24)).string());
        add("ControlPersist=60");
    }
    words.insert(words.end(), m_options.extraArguments.begin(), m_options.extraArguments.end());
    return words;
}

std::vector<std::string> SshRemote::localCommand(std::string_view shellText) const
{
    std::vector<std::string> words = optionArguments();
    words.insert(words.end(), {"-T", "--", m_address, "exec /bin/sh -c " + shellQuoted(shellText)});
    return words;
}

std::vector<std::string> SshRemote::closeCommand() const
{
    std::vector<std::string> words = optionArguments();
    words.insert(words.end(), {"-O", "exit", "--", m_address});
    return words;
}

LinkFailure SshRemote::linkFailure(int code, std::string_view errorText) const
{
    if (code >= 0 && code != kSshFailed) return LinkFailure::none;
    const ErrorPattern* pattern = findErrorPattern(errorText);
    return pattern != nullptr ? pattern->failure : LinkFailure::lost;
}

std::string SshRemote::linkFailureText(LinkFailure failure, std::string_view errorText) const
{
    const ErrorPattern* pattern = findErrorPattern(errorText);
    if (pattern == nullptr || pattern->failure != failure) return "the connection was lost";
    return std::string(pattern->text) + " (ssh: " + sshLine(errorText, pattern->needle) + ")";
}

} // namespace lockstep
