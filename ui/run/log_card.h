// SPDX-License-Identifier: Apache-2.0
// LogCard: the log of a run with filters by host, rank and stream, a search field, view toggles, and a menu
// to copy and save it. UI thread.
#pragma once

#include <filesystem>
#include <optional>

#include "ui/async/latest_job.h"
#include "ui/run/log_view.h"
#include "ui/style/card.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QMenu;
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
    // Writes the lines that pass the filters, or all lines of the buffer, with their times and hosts. The
    // file is written on another thread; messageChanged() reports the result.
    void saveTo(const std::filesystem::path& path, bool isFiltered);

  signals:
    void hostChosen(std::optional<size_t> host);
    // Requests that the timeline show this time (Unix epoch ns) on the host's clock.
    void timelineRequested(size_t host, int64_t time_ns);
    void messageChanged(const QString& text, bool isBad);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void makeTools();
    void makeFilters();
    void fillMenu(QMenu* menu, bool isForLine);
    void addLineFilters(QMenu* menu, const LogLine& line);
    void promptForFile(bool isFiltered);
    void showRanks();
    void updateQuery();
    void showMatches();

    const LogBuffer* m_buffer = nullptr;
    LogView* m_view;
    QComboBox* m_hosts;
    QComboBox* m_ranks;   // hidden while no rank is known
    QComboBox* m_streams; // the data of an item is a LogStream
    QStringList m_hostNames;
    QLineEdit* m_search;
    QLabel* m_matches;
    QPushButton* m_only;
    QPushButton* m_follow;
    QPushButton* m_wrap;
    LatestJob<QString> m_save; // the result is the name of the written file
};

} // namespace lockstep
