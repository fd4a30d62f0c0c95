// SPDX-License-Identifier: Apache-2.0
// SaveLog implements Help > Save log: it asks for a file and writes the program's log to it. Owned by the
// window. UI thread; never blocks on the file.
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
    // `secrets` is called when a file is written; the values it returns are masked. `notice` shows the
    // result.
    SaveLog(QWidget& window, Settings& settings, NoticeBar& notice, std::function<TextPairs()> secrets);

    void promptAndSave();
    void saveTo(const std::filesystem::path& path);

  private:
    QWidget& m_window;
    Settings& m_settings;
    NoticeBar& m_notice;
    std::function<TextPairs()> m_secrets;
    LatestJob<QString> m_write; // writes the log; the result is the file name
};

} // namespace lockstep
