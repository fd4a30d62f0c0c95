// SPDX-License-Identifier: Apache-2.0
// LogCard: the log of all hosts or of one host, with a host filter, a search field and view toggles. UI
// thread.
#pragma once

#include <optional>

#include "ui/run/log_view.h"
#include "ui/style/card.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace lockstep {

class LogCard : public Card {
    Q_OBJECT

  public:
    explicit LogCard(QWidget* parent);

    // `buffer` is null if there is no run. Otherwise it must remain valid until the next call or the
    // destruction of the card.
    void show(const LogBuffer* buffer, const QStringList& hosts);
    void setTheme(const Theme& theme) { m_view->setTheme(theme); }
    void choose(std::optional<size_t> host);
    // Shows the lines added to the buffer since the last call.
    void refresh();
    // Selects the line for LogBuffer::find(). Clears the search and shows all hosts, so that the line and its
    // surroundings are visible.
    void goTo(size_t host, int64_t time_ns, std::string_view text);
    LogView* view() const { return m_view; }
    QLineEdit* searchField() const { return m_search; }

  signals:
    void hostChosen(std::optional<size_t> host);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void makeTools();
    void updateQuery();
    void showMatches();

    const LogBuffer* m_buffer = nullptr;
    LogView* m_view;
    QComboBox* m_hosts;
    QLineEdit* m_search;
    QLabel* m_matches;
    QPushButton* m_only;
    QPushButton* m_follow;
    QPushButton* m_wrap;
};

} // namespace lockstep
