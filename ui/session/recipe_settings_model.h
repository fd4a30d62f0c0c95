// SPDX-License-Identifier: Apache-2.0
// RecipeSettingsModel: a table of the settings that only the session's framework has, as its recipe lists
// them: name, value, the value that applies otherwise, and meaning. Clearing a value removes it from the
// session. UI thread.
#pragma once

#include <vector>

#include <QAbstractTableModel>

#include "core/session/recipes/data_recipe.h"
#include "ui/style/theme.h"

namespace lockstep {

class SessionDraft;

class RecipeSettingsModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    explicit RecipeSettingsModel(SessionDraft& draft, QObject* parent = nullptr);

    enum Column { name, value, standard, meaning, columnTotal };
    // QStringList of the allowed values; empty if any value is allowed.
    static constexpr int kChoicesRole = Qt::UserRole + 1;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    // Text that is not of the setting's type is shown as refused, and the session keeps its value.
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    void setTheme(const Theme& theme);

  private:
    void refresh();

    SessionDraft& m_draft;
    std::vector<RecipeSettingRow> m_rows;
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
