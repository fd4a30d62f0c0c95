// SPDX-License-Identifier: Apache-2.0
// HostsCard: a table of a run's hosts. Selecting a row selects the host shown in the log and the charts. UI
// thread.
#pragma once

#include <optional>
#include <set>

#include "ui/run/run_hosts_model.h"
#include "ui/style/card.h"

class QTreeView;

namespace lockstep {

class HostsCard : public Card {
    Q_OBJECT

  public:
    explicit HostsCard(QWidget* parent);

    void show(const Run* run, const RunFeed* feed);
    void setTheme(const Theme& theme);
    void refresh();
    // Selects a host; nullopt clears the selection.
    void choose(std::optional<size_t> host);
    QTreeView* table() const { return m_table; }

  signals:
    void hostChosen(std::optional<size_t> host);
    void rankActivated(const std::string& host, int64_t rank); // a double-click or Return on the rank's row

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void applySelection();
    void restore();
    void fit();
    void placeColumns();

    QTreeView* m_table;
    RunHostsModel* m_model;
    const Run* m_run = nullptr;
    std::optional<size_t> m_chosen;
    std::set<size_t> m_open;   // expanded hosts, whose ranks and GPUs are shown
    bool m_isChoosing = false; // true while code, not the user, changes the selection
};

} // namespace lockstep
