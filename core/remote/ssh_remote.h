// SPDX-License-Identifier: Apache-2.0
// SshRemote is a host reached through the user's own OpenSSH client, with the user's aliases, jump hosts,
// keys, agents and known_hosts. All calls to a host share one connection (ControlMaster). It never prompts
// for a password.
#pragma once

#include <filesystem>

#include "core/remote/remote.h"

namespace lockstep {

struct SshOptions {
    std::string program = "ssh";
    std::filesystem::path configFile;        // for ssh -F; empty = the user's configuration
    std::vector<std::string> extraArguments; // additional arguments for ssh, placed before the address
    std::filesystem::path
        controlFolder; // folder of the control sockets; empty = a folder in the user's runtime folder
    int connectTimeout_s = 15;
    // Interval of keep-alive messages; after three unanswered messages, the connection is closed.
    int keepAlive_s = 10;
};

// Returns the options from LOCKSTEP_SSH_CONFIG (a file for ssh -F), LOCKSTEP_SSH_OPTIONS (arguments, quoted
// as in a shell) and LOCKSTEP_SSH_CONTROL (folder of the control sockets). Uses defaults for variables that
// are not set.
SshOptions sshOptionsFromEnvironment();

class SshRemote : public Remote {
  public:
    // `address` is the argument for ssh: "user@host", an alias or "ssh://user@host:port".
    SshRemote(std::string address, SshOptions options);

    std::string name() const override { return m_address; }
    std::vector<std::string> localCommand(std::string_view shellText) const override;
    LinkFailure linkFailure(int code, std::string_view errorText) const override;
    std::string linkFailureText(LinkFailure failure, std::string_view errorText) const override;
    // Returns the command that ends the shared connection, which otherwise stays open for a minute after the
    // last call.
    std::vector<std::string> closeCommand() const;

  private:
    std::vector<std::string> optionArguments() const;

    std::string m_address;
    SshOptions m_options;
};

// Returns the folder for control sockets and creates it with mode 0700. Its path is short enough for socket
// names. Errors: io.
Result<std::filesystem::path> controlFolder(const std::filesystem::path& desired);

} // namespace lockstep
