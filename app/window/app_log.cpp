// SPDX-License-Identifier: Apache-2.0
#include "app/window/app_log.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <QSysInfo>
#include <unistd.h>

#include "core/base/output_file.h"
#include "core/base/private_file.h"
#include "core/session/secrets.h"

namespace lockstep {

Q_LOGGING_CATEGORY(appLog, "lockstep.app", QtCriticalMsg)

namespace {

QtMessageHandler s_before = nullptr;

LogLevel levelOf(QtMsgType type)
{
    if (type == QtDebugMsg || type == QtInfoMsg) return LogLevel::info;
    return type == QtWarningMsg ? LogLevel::warning : LogLevel::error;
}

void take(QtMsgType type, const QMessageLogContext& context, const QString& text)
{
    const std::string_view category = context.category != nullptr ? context.category : "default";
    programLog().note(levelOf(type), category, text.toStdString());
    const bool isOurs = category.starts_with("lockstep.");
    if (!isOurs && s_before != nullptr) s_before(type, context, text);
}

} // namespace

void startLogging()
{
    if (s_before != nullptr) return;
    s_before = qInstallMessageHandler(take);
    QLoggingCategory::setFilterRules("lockstep.*=true");
    qCInfo(appLog, "Lockstep %s started", LOCKSTEP_VERSION);
}

LogRing& programLog()
{
    static LogRing ring;
    return ring;
}

TextPairs knownSecrets(const SessionConfig& session)
{
    TextPairs secrets = secretValues(session, [](const char* name) { return std::getenv(name); }).values;
    for (char** pair = environ; *pair != nullptr; ++pair) {
        const std::string_view text = *pair;
        const size_t equals = std::min(text.find('='), text.size());
        if (equals < text.size() && isSecretVariable(text.substr(0, equals)))
            secrets.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    return secrets;
}

std::string logFileText(const LogRing& ring, const TextPairs& secrets)
{
    const std::string header = "Lockstep " LOCKSTEP_VERSION ", Qt " + std::string(qVersion()) + ", " +
                               QSysInfo::prettyProductName().toStdString() + ", " +
                               QSysInfo::kernelVersion().toStdString() + ", " +
                               QSysInfo::currentCpuArchitecture().toStdString() + "\n";
    return header + withoutSecrets(ring.text(), secrets);
}

Status writeLogFile(const std::filesystem::path& path, const std::string& text)
{
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) LOCKSTEP_TRY(makePrivateFile(path));
    OutputFile file = LOCKSTEP_TRY(OutputFile::create(path, 0600));
    file.write(text);
    return file.commit();
}

} // namespace lockstep
