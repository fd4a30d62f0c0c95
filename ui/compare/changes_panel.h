// SPDX-License-Identifier: Apache-2.0
// ChangesPanel lists the changes between the sides of a comparison by kernel, phase or rank, with the
// confidence of each change. It also shows whether the sides are comparable, and how the step length is made
// up of time on the critical path. Its dock is visible only during a comparison. UI thread.
#pragma once

#include <memory>

#include "core/compare/compared_sides.h"
#include "ui/async/latest_job.h"
#include "ui/compare/change_model.h"
#include "ui/window/panel.h"

class QButtonGroup;
class QLabel;
class QLineEdit;
class QToolButton;

namespace lockstep {

class LengthView;
class TableView;

class ChangesPanel : public Panel {
    Q_OBJECT

  public:
    explicit ChangesPanel(Workers workers, QWidget* parent = nullptr);
    ~ChangesPanel() override;

    // null if there is no comparison.
    void setHalves(std::shared_ptr<const ComparedSides> halves);
    void setTheme(const Theme& theme) override;
    // Returns true because the comparison's card already describes the selection.
    bool showsSelection() const override { return m_halves != nullptr && isInFront(); }
    bool isBusy() const override { return m_rowsJob.isRunning() || m_factsJob.isRunning(); }

    TableView* view() const { return m_view; }
    LengthView* length() const { return m_length; }
    QButtonGroup* grouping() const { return m_by; }
    QString note() const;
    QString foot() const;

  signals:
    // Requests that the longest instances of a row be shown; one of the two slices may be invalid.
    void jumpRequested(SliceRef a, SliceRef b);

  protected:
    void rebuild() override;

  private:
    struct Facts {
        Result<LengthChange> length = LengthChange();
        std::vector<std::string> differences;
    };

    QWidget* makeBar();
    QWidget* makeBody();
    ChangedSide side(size_t half) const;
    void startRows();
    void takeRows(Result<std::shared_ptr<const ChangedRows>> made);
    void applyFacts(Result<std::shared_ptr<const Facts>> made);
    void showFooter(const QString& hint);
    void jump(int row);

    std::shared_ptr<const ComparedSides> m_halves; // null if there is no comparison
    std::shared_ptr<const ChangedRows> m_rows;
    const Theme* m_theme = &lightTheme();
    QLabel* m_note = nullptr;
    QWidget* m_stripe = nullptr;
    QToolButton* m_allFacts = nullptr;
    QButtonGroup* m_by = nullptr;
    QLineEdit* m_find = nullptr;
    ChangeModel* m_model;
    TableView* m_view = nullptr;
    ChangeDelegate* m_delegate = nullptr;
    QLabel* m_footer = nullptr;
    LengthView* m_length = nullptr;
    bool m_isWarning = false;
    LatestJob<std::shared_ptr<const ChangedRows>> m_rowsJob;
    LatestJob<std::shared_ptr<const Facts>> m_factsJob;
};

} // namespace lockstep
