// SPDX-License-Identifier: Apache-2.0
// CompareDialog: asks what is to be compared with what: of each half a run, folder or report and one of its
// steps; B also of a file that is opened for it alone. It offers and tells; the window's controller opens and
// compares. UI thread.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <QDialog>

#include "core/timeline/comparable_sides.h"

class QComboBox;
class QLabel;
class QPushButton;

namespace lockstep {

// What was chosen for one half.
struct SideChoice {
    bool isOther = false; // of what was opened for the comparison alone
    ComparableSide side;
    std::optional<int64_t> step; // none: all of it

    friend bool operator==(const SideChoice& a, const SideChoice& b)
    {
        return a.isOther == b.isOther && a.side.reports == b.side.reports && a.step == b.step;
    }
};

// "all reports", "run baseline", "a.sqlite": for people.
QString sideName(const ComparableSide& side);

class CompareDialog : public QDialog {
    Q_OBJECT

  public:
    // here: of what is open, at least one. stepInHand: what A begins with, where it has it.
    CompareDialog(std::vector<ComparableSide> here, std::optional<int64_t> stepInHand, QWidget* parent);

    // What was opened beside: B can be it now, and is.
    void setOther(std::vector<ComparableSide> other, const QString& name);
    // That it is being opened, or could not be.
    void say(const QString& text, bool isWarning);
    // Chooses these where they are offered: what is compared now, or what was asked for.
    void choose(const std::optional<SideChoice>& a, const std::optional<SideChoice>& b);
    SideChoice choice(int half) const;
    QComboBox* what(int half) const { return m_what[static_cast<size_t>(half)]; }
    QComboBox* step(int half) const { return m_step[static_cast<size_t>(half)]; }
    QPushButton* compareButton() const { return m_compare; }
    QPushButton* fileButton() const { return m_file; }
    QString hint() const;

  signals:
    void chosen(const SideChoice& a, const SideChoice& b);
    void fileRequested(bool isFolder);

  private:
    struct Offer {
        bool isOther = false;
        ComparableSide side;
        QString name;
    };
    QWidget* makeHalf(int half);
    void fill(int half);
    void fillSteps(int half);
    void chooseFirst(std::optional<int64_t> stepInHand);
    void check();

    std::vector<Offer> m_offers;
    std::array<QComboBox*, 2> m_what{}, m_step{};
    QLabel* m_hint;
    QPushButton *m_file, *m_folder, *m_compare;
    bool m_isFilling = false;
};

} // namespace lockstep
