// SPDX-License-Identifier: Apache-2.0
// RoleMatrixModel: a table of roles x ranks of a session: first the columns "on", "all", "discrete" and the
// ranks as text, then one column per rank. Every cell except the text is a switch. The last row is the
// controller; it is read-only because the tool and the nsys options determine how the controller is recorded.
// Ranks that are refused stay in their cell. UI thread.
#pragma once

#include <QAbstractTableModel>

#include "core/session/session_config.h"
#include "ui/style/theme.h"

namespace lockstep {

class SessionDraft;

class RoleMatrixModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    explicit RoleMatrixModel(SessionDraft& draft, QObject* parent = nullptr);

    enum Column { on, all, discrete, ranks, firstRank };
    // Qt::CheckStateRole returns the state of a switch. This additional role is true for a switch that is
    // neither on nor off because the session does not set it.
    static constexpr int kIsUnsetRole = Qt::UserRole + 1;
    // True for a read-only cell.
    static constexpr int kIsFixedRole = Qt::UserRole + 2;
    static constexpr int kControllerRow = static_cast<int>(kRoleCount);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    bool isOn(const QModelIndex& index) const;
    // Sets all cells as one undoable change.
    void setOn(const QModelIndexList& cells, bool isOn);
    // Returns the number of rank columns, 8 to 4096. There are enough columns for all ranks of the run (if
    // known) and all selected ranks.
    int rankCount() const { return m_rankCount; }
    void setTheme(const Theme& theme);

  private:
    QVariant controllerData(int column, int role) const;
    static bool isRankChosen(const RoleProfile& profile, int64_t rank);
    int neededRankCount() const;
    void refresh();

    SessionDraft& m_draft;
    const Theme* m_theme = &lightTheme();
    int m_rankCount = 0;
};

} // namespace lockstep
