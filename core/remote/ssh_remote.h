// SPDX-License-Identifier: Apache-2.0
// SshRemote: a host reached by the user's own OpenSSH client, whose aliases, jump hosts, keys, agents and
// known_hosts hold as they are. All calls of a host share one connection (ControlMaster); none ever asks for
// a password.
#pragma once

#include <filesystem>

#include "core/remote/remote.h"

namespace lockstep {

struct SshOptions {
    std::string program = "ssh";
    std::filesystem::path configFile;    // ssh -F; empty: the user's
    std::vector<std::string> extraWords; // further words for ssh, before the address
    std::filesystem::path
        controlFolder; // of the control sockets; empty: a folder of the user's runtime folder
    int connectTimeout_s = 15;
    int keepAlive_s = 10; // three unanswered ones end the connection
};

// From LOCKSTEP_SSH_CONFIG (a file for ssh -F) and LOCKSTEP_SSH_OPTIONS (words, quoted as in a shell);
// defaults where they are not set.
SshOptions sshOptionsFromEnvironment();

class SshRemote : public Remote {
  public:
    // address: what ssh is given, "user@host", an alias or "ssh://user@host:port".
    SshRemote(std::string address, SshOptions options);

    std::string name() const override { return m_address; }
    std::vector<std::string> localWords(std::string_view shellText) const override;
    LinkFailure linkFailure(int code, std::string_view errorText) const override;
    std::string linkFailureText(LinkFailure failure, std::string_view errorText) const override;
    // Ends the shared connection, which otherwise stays a minute after the last call. Returns the words to
    // run.
    std::vector<std::string> closeWords() const;

  private:
    std::vector<std::string> optionWords() const;

    std::string m_address;
    SshOptions m_options;
};

// The folder for control sockets, made with mode 0700; short enough for a socket's name. io.
Result<std::filesystem::path> controlFolder(const std::filesystem::path& wished);

} // namespace lockstep
