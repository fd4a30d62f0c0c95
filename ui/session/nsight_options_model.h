// SPDX-License-Identifier: Apache-2.0
// NsightOptionsModel: nsys options of a session as a table: name, value for the workers, value for verl's
// controller, default, remark. Rows are the options this nsys has, the chosen ones first, and any other that
// the session names. An emptied value is not chosen any more. UI thread.
#pragma once

#include <string>
#include <vector>

#include <QAbstractTableModel>

#include "core/session/session_config.h"
#include "ui/style/theme.h"

namespace lockstep {

class SessionDraft;

class NsightOptionsModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    explicit NsightOptionsModel(SessionDraft& draft, QObject* parent = nullptr);

    enum Column { name, worker, controller, standard, remark, columnTotal };
    // Values one may choose from, a QStringList; empty = anything.
    static constexpr int kChoicesRole = Qt::UserRole + 1;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    void setTheme(const Theme& theme);

  private:
    const NsightOptions& options(int column) const;
    // What Lockstep gives an option that the session leaves open.
    std::optional<std::string> computedValue(const std::string& option) const;
    QString remarkText(const std::string& option) const;
    QString problem(const std::string& option) const;
    std::vector<std::string> wantedNames() const;
    void refresh();

    SessionDraft& m_draft;
    std::vector<std::string> m_names;
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
