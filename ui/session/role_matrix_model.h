// SPDX-License-Identifier: Apache-2.0
// RoleMatrixModel: roles x ranks of a session as a sheet: columns on, all, discrete, the ranks as text, then
// a cell a rank. Every cell is a switch except the text. The last row is verl's controller, which nobody
// switches: what is recorded of it follows from the tool and the nsys options. UI thread.
#pragma once

#include <QAbstractTableModel>

#include "core/session/session_config.h"

namespace lockstep {

class SessionDraft;

class RoleMatrixModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    explicit RoleMatrixModel(SessionDraft& draft, QObject* parent = nullptr);

    enum Column { on, all, discrete, ranks, firstRank };
    // Qt::CheckStateRole tells switches; this role tells "not chosen" (true) from off.
    static constexpr int kIsUnsetRole = Qt::UserRole + 1;
    // The cell tells and cannot be switched.
    static constexpr int kIsFixedRole = Qt::UserRole + 2;
    static constexpr int kControllerRow = static_cast<int>(kRoleCount);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    bool isOn(const QModelIndex& index) const;
    // Switches all cells together, as one change that undoes as one.
    void setOn(const QModelIndexList& cells, bool isOn);
    // Cells of ranks shown: the run's, where known, and at least all that are chosen; 4096 at most.
    int rankCount() const { return m_rankCount; }

  private:
    QVariant controllerData(int column, int role) const;
    static bool isRankChosen(const RoleProfile& profile, int64_t rank);
    int wantedRankCount() const;
    void refresh();

    SessionDraft& m_draft;
    int m_rankCount = 0;
};

} // namespace lockstep
