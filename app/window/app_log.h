// SPDX-License-Identifier: Apache-2.0
// The log of the window program: the category lockstep.app, and the LogRing in memory that collects all
// messages. Help > Save log writes it to a file. Any thread.
#pragma once

#include <filesystem>
#include <string>

#include <QLoggingCategory>

#include "core/base/log_ring.h"
#include "core/base/result.h"
#include "core/session/session_config.h"

namespace lockstep {

Q_DECLARE_LOGGING_CATEGORY(appLog)

// Starts logging. Messages in the categories lockstep.* go to programLog() and are not printed. Messages from
// Qt and other libraries go to programLog() and also to the previous handler.
void startLogging();
// Returns the log of the program. There is only one log, because Qt has only one message handler.
LogRing& programLog();

// Returns the values of secret variables of the environment and the session (core/session/secrets.h), which
// must not be written to any file.
TextPairs knownSecrets(const SessionConfig& session);
// Returns the file content for Help > Save log: the versions of program, Qt and system, then the messages,
// with masked secrets.
std::string logFileText(const LogRing& ring, const TextPairs& secrets);
// Writes the file atomically. The mode is 0600, even if an existing file is replaced. Error: io.
Status writeLogFile(const std::filesystem::path& path, const std::string& text);

} // namespace lockstep
