// SPDX-License-Identifier: Apache-2.0
// LogView: shows the lines of a LogBuffer. Only visible lines are laid out, so the cost of scrolling does not
// depend on the number of lines. Lines can be selected and copied; the view follows the last line until the
// user scrolls away. UI thread.
#pragma once

#include <optional>

#include <QAbstractScrollArea>
#include <QStringList>
#include <QTimer>

#include "ui/run/log_index.h"
#include "ui/run/log_text.h"
#include "ui/style/theme.h"

class QTextLayout;

namespace lockstep {

class LogView : public QAbstractScrollArea {
    Q_OBJECT

  public:
    // `buffer` must outlive the view or a later setBuffer(nullptr).
    explicit LogView(QWidget* parent = nullptr);

    void setBuffer(const LogBuffer* buffer, const QStringList& hosts);
    void setQuery(const LogQuery& query);
    const LogQuery& query() const { return m_index.query(); }
    void setTheme(const Theme& theme);
    void setFollowing(bool isFollowing);
    bool isFollowing() const { return m_isFollowing; }
    void setWrapping(bool isWrapping);
    bool isWrapping() const { return m_isWrapping; }
    // Shows the lines added to the buffer since the last call.
    void refresh();

    // Moves from the current line to the next or previous match, wrapping around, and stops following the
    // last line.
    void step(bool isForward);
    // Selects a line of the buffer and makes it visible, if it is displayed.
    void goTo(uint64_t number);
    size_t matchCount() const { return m_index.matches().size(); }
    // Returns the one-based position of the current line among the matches; 0 if the line is not a match.
    size_t matchPosition() const;
    bool isSearching() const { return m_search.isActive(); }
    size_t rowCount() const { return m_index.rows(); }
    // Returns the text of the selected lines; at most 64 MiB. If no line is selected, returns all displayed
    // lines.
    QString textToCopy(LogFormat format) const;
    void copy(LogFormat format) const;
    void selectAll();
    // Returns the number of the current line, if there is one.
    std::optional<uint64_t> current() const { return m_current; }

  signals:
    void followingChanged(bool isFollowing);
    void matchesChanged();
    // Requests the context menu for the current line.
    void menuRequested(QPoint globalPosition);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

  private:
    void measure();
    void showScrollBars();
    void moveTo(size_t row, bool extends);
    void makeVisible(size_t row);
    // Lays out the line's content for the current width. Returns its height in pixels.
    int layOut(const LogLine& line, QTextLayout& layout) const;
    int heightOf(size_t row) const;
    // Returns the row at the top of the view when the view is scrolled to the end.
    size_t lastPageRow() const;
    size_t topRow() const;
    std::optional<size_t> rowAt(int y) const;
    bool isSelected(uint64_t number) const;
    void scrollWhileDragging();
    QColor colorOf(const AnsiStyle& style, LogTone tone) const;
    void paintRow(QPainter& painter, size_t row, int y, int height, const QTextLayout& layout) const;

    const LogBuffer* m_buffer = nullptr;
    QStringList m_hosts;
    LogIndex m_index;
    const Theme* m_theme = &lightTheme();
    bool m_isFollowing = true;
    bool m_isWrapping = false;
    bool m_isPlacing = false; // true while code, not the user, moves the scroll bar
    int m_lineHeight = 16;
    double m_columnWidth = 8; // pixels per character of the fixed-width font
    int m_prefixWidth = 0;
    int m_maxWidth = 0; // width in pixels of the widest line drawn so far
    // Number of the line at the top, used while the view does not follow the last line.
    uint64_t m_top = 0;
    std::optional<uint64_t> m_current, m_mark; // line numbers: the cursor and the start of the selection
    QTimer m_search;                           // runs while lines remain to be indexed
    QTimer m_drag;   // runs while the mouse selects lines beyond the upper or lower edge
    int m_dragY = 0; // vertical position of the mouse in the viewport, in pixels
};

} // namespace lockstep
