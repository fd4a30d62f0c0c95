// SPDX-License-Identifier: Apache-2.0
// FindingsPanel lists what the rules found in the visible range, the selected range or everything, worst
// first. The selected finding is shown in full next to the list. The rules run off the UI thread, and only
// while the panel is in front. UI thread.
#pragma once

#include <memory>

#include "core/analysis/training/findings.h"
#include "ui/async/latest_job.h"
#include "ui/window/computed_panel.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace lockstep {

class FindingDetail;
class FindingsList;
class ViewState;

class FindingsPanel : public ComputedPanel<std::shared_ptr<const RunFindings>> {
    Q_OBJECT

  public:
    // `view` must outlive the panel.
    FindingsPanel(ViewState& view, Workers workers, QWidget* parent = nullptr);
    ~FindingsPanel() override;

    void setTheme(const Theme& theme) override;

    FindingsList* list() const { return m_list; }
    FindingDetail* detail() const { return m_detail; }
    QLineEdit* findField() const { return m_find; }
    // Returns the findings on screen; nullptr if the rules have not run yet, or if there are no reports or no
    // range.
    const RunFindings* findings() const { return m_findings.get(); }
    // Returns the message that is shown instead of the list.
    QString hint() const;
    // Returns the footer, e.g. "5 findings; estimated cost 62.4 ms/step, overlaps counted once".
    QString sumText() const;

  signals:
    void findingsChanged();

  protected:
    void compute() override;
    void take(Result<std::shared_ptr<const RunFindings>> outcome) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    QWidget* makeBar();
    void addFinding(QHBoxLayout& line, QWidget* bar); // adds the controls that sort and filter the list
    void stop();
    void showHint(const QString& hint);
    QString noFindingsText() const;
    void jump(int finding);

    ViewState& m_viewState;
    QPushButton* m_stop = nullptr;
    QLabel* m_state = nullptr;
    QComboBox* m_order = nullptr;
    QLineEdit* m_find = nullptr;
    QLabel* m_hint;
    FindingsList* m_list;
    FindingDetail* m_detail;
    QLabel* m_sum;
    std::shared_ptr<const RunFindings> m_findings;
};

} // namespace lockstep
