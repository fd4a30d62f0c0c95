// SPDX-License-Identifier: Apache-2.0
// NsightOptionsModel: a table of a session's nsys options: columns for the name, the value for the workers,
// the value for the controller, the default, and a remark. It has a row for each option of the installed nsys
// version and each additional option in the session. Options with a value come first. Clearing a value
// removes the option from the session. UI thread.
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
    // QStringList of the allowed values; empty if any value is allowed.
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
    // Returns the value that Lockstep computes for an option that the session does not set.
    std::optional<std::string> computedValue(const std::string& option) const;
    // Returns the workers' value of an option that the session does not set.
    QString defaultText(const std::string& option) const;
    QString defaultSource(const std::string& option) const;
    QString remarkText(const std::string& option) const;
    QString problem(const std::string& option) const;
    std::vector<std::string> optionNames() const;
    void refresh();

    SessionDraft& m_draft;
    std::vector<std::string> m_names;
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
