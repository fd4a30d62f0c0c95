// SPDX-License-Identifier: Apache-2.0
// DemoController runs the demo in a window: it launches the run, watches it live and opens its reports. If
// the demo cannot run, it opens synthetic reports and shows a notice. Created by the MainWindow after its
// pages. UI thread.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "app/run/demo_run.h"
#include "app/window/window_parts.h"
#include "ui/async/latest_job.h"
#include "ui/panels/notice_bar.h"

namespace lockstep {

class LiveController;

class DemoController : public QObject {
    Q_OBJECT

  public:
    // Construct after the pages; they are destroyed first.
    DemoController(const WindowParts& parts, LiveController& live, QObject* parent = nullptr);
    ~DemoController() override;

    // Runs the demo. Stops an earlier demo, but leaves that demo's reports open.
    void begin(std::shared_ptr<DemoRun> demo);
    // Returns true until the reports of the demo are available.
    bool isBusy() const;

  signals:
    // Emitted when the demo's reports, recorded or synthetic, were opened. Synthetic reports may still be
    // loading.
    void shown();

  private:
    void prepare();
    bool isRunning() const;
    void handleLaunch();
    void handleEnd();
    void handleOpened(const std::filesystem::path& path);
    void openSynthetic(const QString& reason, HelpTopic help);
    void showNotice(NoticeBar::Tone tone, const QString& text, HelpTopic help = HelpTopic::none);
    void dropNotice();

    WindowParts m_parts;
    RunController& m_runs;
    LiveController& m_live;
    std::shared_ptr<DemoRun> m_demo;
    bool m_isLaunching = false;
    QString m_notice;                         // the demo's last notice
    QString m_reason;                         // why the demo shows synthetic data
    HelpTopic m_reasonHelp = HelpTopic::none; // help topic for m_reason
    LatestJob<std::shared_ptr<DemoRun>> m_prepare;
    LatestJob<std::vector<std::filesystem::path>> m_make;
};

} // namespace lockstep
