// SPDX-License-Identifier: Apache-2.0
// CompareDialog lets the user choose two sides to compare: for each side a run, folder or report and one of
// its steps. B can also be a file that is opened only for the comparison. The dialog only emits requests; the
// window's controller opens files and compares. UI thread.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <QDialog>

#include "core/compare/side.h"

class QComboBox;
class QLabel;
class QPushButton;

namespace lockstep {

// The choice for one side.
struct SideChoice {
    bool isOther = false; // this side consists of reports that were opened only for the comparison
    CandidateSide side;
    std::optional<int64_t> step; // nullopt for all steps

    friend bool operator==(const SideChoice& a, const SideChoice& b)
    {
        return a.isOther == b.isOther && a.side.reports == b.side.reports && a.step == b.step;
    }
};

// Returns a name for display, e.g. "run baseline" or "a.sqlite".
QString sideName(const CandidateSide& side);

class CompareDialog : public QDialog {
    Q_OBJECT

  public:
    // openSides: the sides that consist of open reports; must not be empty. selectedStep: initial step of A,
    // if A has that step.
    CompareDialog(std::vector<CandidateSide> openSides, std::optional<int64_t> selectedStep, QWidget* parent);

    // Adds the sides of the file that was opened for the comparison and chooses the first of them for B.
    void setOther(std::vector<CandidateSide> other, const QString& name);
    // Shows a hint, e.g. that the file is being opened or failed to open.
    void showHint(const QString& text, bool isWarning);
    // Selects these sides if the dialog offers them.
    void choose(const std::optional<SideChoice>& a, const std::optional<SideChoice>& b);
    SideChoice choice(int half) const;
    QComboBox* what(int half) const { return m_what[static_cast<size_t>(half)]; }
    QComboBox* step(int half) const { return m_step[static_cast<size_t>(half)]; }
    QPushButton* fileButton() const { return m_file; }
    QString hint() const;

  signals:
    void chosen(const SideChoice& a, const SideChoice& b);
    void fileRequested(bool isFolder);

  private:
    struct Offer {
        bool isOther = false;
        CandidateSide side;
        QString name;
    };
    QWidget* makeHalf(int half);
    void fill(int half);
    void fillSteps(int half);
    void chooseFirst(std::optional<int64_t> selectedStep);
    void check();

    std::vector<Offer> m_offers;
    std::array<QComboBox*, 2> m_what{}, m_step{};
    QLabel* m_hint;
    QPushButton *m_file, *m_folder, *m_compare;
    bool m_isFilling = false;
};

} // namespace lockstep
