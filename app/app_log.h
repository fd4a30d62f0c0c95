// SPDX-License-Identifier: Apache-2.0
// The window program's account of itself: the category lockstep.app, and where all notes go: into a LogRing
// in memory, of which Help > Save log makes a file. Any thread.
#pragma once

#include <filesystem>
#include <string>

#include <QLoggingCategory>

#include "core/base/log_ring.h"
#include "core/base/result.h"
#include "core/session/session_config.h"

namespace lockstep {

Q_DECLARE_LOGGING_CATEGORY(appLog)

// From now on notes of lockstep.* are kept in programLog(), and not printed: the window tells what matters.
// Those of Qt and other libraries are kept and go where they went before.
void keepLog();
// One for the program, as Qt's message handler is.
LogRing& programLog();

// Values that must be in no file: of variables of this program's environment and of the session that are
// taken for secrets (core/session/secrets.h).
TextPairs knownSecrets(const SessionConfig& session);
// What Help > Save log writes: the program, Qt and the system it runs on, then the notes; secrets masked.
std::string logFileText(const LogRing& ring, const TextPairs& secrets);
// The file is its user's alone (0600), also where another one stood, and there whole or not at all. io.
Status writeLogFile(const std::filesystem::path& path, const std::string& text);

} // namespace lockstep
