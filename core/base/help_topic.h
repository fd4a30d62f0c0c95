// SPDX-License-Identifier: Apache-2.0
// HelpTopic specifies which help page describes an error. The code that creates the error sets the topic, so
// that the window can link to a help page without searching the text of the message. ui/help/help_topics.h
// maps topics to pages. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lockstep {

enum class HelpTopic : uint8_t {
    none, // no help page describes the error
    missingNsys,
    truncatedFile,
    changedFile,
    unrecognizedFile,
    memorySnapshot,
    memoryLimit,
    cache,
    newerVersion, // the file was written by a newer Lockstep
    workspace,
    writeError,
    unresponsiveHost,
    homeFolder, // the home folder of a host is full, read-only or noexec
    diskFull,   // the disk of a host is full during a run
    slurm,
    sessionChecks,
    session,
    capture,
    clocks,
    sql,
    settingsFile,
    keys,
    servers, // inference servers
    last = servers
};
inline constexpr size_t kHelpTopics = static_cast<size_t>(HelpTopic::last) + 1;

// A message for the user and the help topic that describes it.
struct MessageWithHelp {
    std::string text;
    HelpTopic help = HelpTopic::none;

    friend bool operator==(const MessageWithHelp&, const MessageWithHelp&) = default;
};

} // namespace lockstep
