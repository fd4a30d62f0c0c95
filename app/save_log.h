// SPDX-License-Identifier: Apache-2.0
// SaveLog: Help > Save log: asks for a file and writes the program's notes into it. Made and owned by the
// window; UI thread, which never waits for the file.
#pragma once

#include <filesystem>
#include <functional>

#include <QObject>

#include "core/session/session_config.h"
#include "ui/async/latest_job.h"

class QWidget;

namespace lockstep {

class NoticeBar;
class Settings;

class SaveLog : public QObject {
    Q_OBJECT

  public:
    // secrets is asked when a file is written; notice tells how that went. Both outlive the window's wishes.
    SaveLog(QWidget& window, Settings& settings, NoticeBar& notice, std::function<TextPairs()> secrets);

    void ask();
    void saveTo(const std::filesystem::path& path);

  private:
    QWidget& m_window;
    Settings& m_settings;
    NoticeBar& m_notice;
    std::function<TextPairs()> m_secrets;
    LatestJob<QString> m_write; // yields the file's name
};

} // namespace lockstep
