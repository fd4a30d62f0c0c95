// SPDX-License-Identifier: Apache-2.0
// ComputedPanel is a Panel whose content is computed off the UI thread from the scene and the view. Changes
// are collected for a short time, because a drag changes the view at every move; then compute() starts the
// job, and take() shows its result. UI thread.
#pragma once

#include <utility>

#include <QTimer>

#include "ui/async/latest_job.h"
#include "ui/window/panel.h"

namespace lockstep {

// T: the result of the job. The work of the job must not refer to the panel, which may be destroyed first.
template<class T>
class ComputedPanel : public Panel {
  public:
    bool isBusy() const override { return m_soon.isActive() || m_job.isRunning(); }

  protected:
    ComputedPanel(const QString& title, Placement placement, Workers workers, QWidget* parent)
        : Panel(title, placement, parent),
          m_job([this](Result<T> outcome) { take(std::move(outcome)); }, std::move(workers))
    {
        constexpr int kPause_ms = 60;
        m_soon.setSingleShot(true);
        m_soon.setInterval(kPause_ms);
        connect(&m_soon, &QTimer::timeout, this, [this] { compute(); });
    }

    // Starts m_job, or cancels it and shows data that is already available.
    virtual void compute() = 0;
    // Shows the result of the newest job. The error is `canceled` if the job stopped itself.
    virtual void take(Result<T> outcome) = 0;
    void rebuild() override
    {
        m_job.cancel();
        if (!m_soon.isActive()) m_soon.start();
    }

    LatestJob<T> m_job;

  private:
    QTimer m_soon;
};

} // namespace lockstep
