// SPDX-License-Identifier: Apache-2.0
// DemoController: the demo in a window: launches its run, has it watched live, and opens what it leaves.
// Where the run cannot be made it opens invented reports instead and says that they are. Made by the
// MainWindow behind its pages. UI thread.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "app/demo_run.h"
#include "app/window_parts.h"
#include "ui/async/latest_job.h"

namespace lockstep {

class LiveController;

class DemoController : public QObject {
    Q_OBJECT

  public:
    // The pages were added before, and go before this.
    DemoController(const WindowParts& parts, LiveController& live, QObject* parent = nullptr);
    ~DemoController() override;

    // Runs it. One that was shown before is over then, but its reports stay.
    void begin(std::shared_ptr<DemoRun> demo);
    // The reports of the demo that was begun are not here yet.
    bool isBusy() const;

  signals:
    // Its reports were opened, recorded or made up; those made up are being read.
    void shown();

  private:
    void prepare();
    bool isRunning() const;
    void takeLaunch();
    void takeEnd();
    void takeOpened(const std::filesystem::path& path);
    void makeUp(const QString& reason);

    WindowParts m_parts;
    RunController& m_runs;
    LiveController& m_live;
    std::shared_ptr<DemoRun> m_demo;
    bool m_isLaunching = false;
    QString m_reason; // why what is shown is made up
    LatestJob<std::shared_ptr<DemoRun>> m_prepare;
    LatestJob<std::vector<std::filesystem::path>> m_make;
};

} // namespace lockstep
