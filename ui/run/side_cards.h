// SPDX-License-Identifier: Apache-2.0
// The cards on the right of the Run page: step progress, host utilization, and what to do when the run ends.
// UI thread.
#pragma once

#include <optional>

#include "ui/run/run_feed.h"
#include "ui/run/step_chart.h"
#include "ui/run/toggle_switch.h"
#include "ui/run/use_chart.h"
#include "ui/style/card.h"

namespace lockstep {

class ProgressCard : public Card {
    Q_OBJECT

  public:
    explicit ProgressCard(QWidget* parent);

    void setTheme(const Theme& theme) { m_chart->setTheme(theme); }
    // `run` and `feed` are null if there is none.
    void refresh(const Run* run, const RunFeed* feed);
    StepChart* chart() const { return m_chart; }

  private:
    StepChart* m_chart;
};

// UseCard shows the GPU utilization of every host, or all samples of the selected host.
class UseCard : public Card {
    Q_OBJECT

  public:
    explicit UseCard(QWidget* parent);

    void setTheme(const Theme& theme) { m_chart->setTheme(theme); }
    void refresh(const Run* run, const RunFeed* feed, std::optional<size_t> host);
    UseChart* chart() const { return m_chart; }

  private:
    UseChart* m_chart;
};

struct EndOptions {
    bool fetchesAll = true;
    bool onlyColumns = false; // true if hosts send only compact columns and raw files are fetched on demand
    bool opens = true;
    bool notifies = true;

    friend bool operator==(const EndOptions&, const EndOptions&) = default;
};

class EndCard : public Card {
    Q_OBJECT

  public:
    explicit EndCard(QWidget* parent);

    void setTheme(const Theme& theme);
    void setOptions(const EndOptions& options);
    EndOptions options() const;

  signals:
    void optionsChanged();

  private:
    void enable();

    ToggleSwitch* m_fetch;
    ToggleSwitch* m_columns;
    ToggleSwitch* m_open;
    ToggleSwitch* m_notify;
};

} // namespace lockstep
