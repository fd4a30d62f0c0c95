// SPDX-License-Identifier: Apache-2.0
// LogView: the lines of a LogBuffer, drawn from the ring and never laid out beyond what is visible, so that a
// million of them scroll like ten. Lines are chosen by mouse or keys and copied; the last line is followed
// until the user goes elsewhere. UI thread.
#pragma once

#include <optional>

#include <QAbstractScrollArea>
#include <QStringList>
#include <QTimer>

#include "ui/run/log_index.h"
#include "ui/style/theme.h"

class QTextLayout;

namespace lockstep {

class LogView : public QAbstractScrollArea {
    Q_OBJECT

  public:
    // buffer outlives the view or is taken away by setBuffer(nullptr).
    explicit LogView(QWidget* parent = nullptr);

    void setBuffer(const LogBuffer* buffer, const QStringList& hosts);
    void setQuery(const LogQuery& query);
    const LogQuery& query() const { return m_index.query(); }
    void setTheme(const Theme& theme);
    void setFollowing(bool isFollowing);
    bool isFollowing() const { return m_isFollowing; }
    void setWrapping(bool isWrapping);
    bool isWrapping() const { return m_isWrapping; }
    // The buffer has more lines.
    void refresh();

    // To the next match after the current line, or before it; around the end. Following ends.
    void step(bool isForward);
    size_t matchCount() const { return m_index.matches().size(); }
    // From 1, of the current line among the matches; 0 when it is none.
    size_t matchPosition() const;
    bool isSearching() const { return m_search.isActive(); }
    size_t rowCount() const { return m_index.rows(); }
    // The chosen lines, else every shown one, as text without times and hosts; at most 64 MiB.
    QString textToCopy() const;
    void copy() const;

  signals:
    void followingChanged(bool isFollowing);
    void matchesChanged();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

  private:
    void measure();
    void showScrollBars();
    void moveTo(size_t row, bool extends);
    void makeVisible(size_t row);
    // The line's content laid out for the present width; its height in px.
    int layOut(const LogLine& line, QTextLayout& layout) const;
    int heightOf(size_t row) const;
    // The first row of a page that ends with the last row.
    size_t lastPageRow() const;
    size_t topRow() const;
    std::optional<size_t> rowAt(int y) const;
    QColor colorOf(const AnsiStyle& style, LogTone tone) const;
    void paintRow(QPainter& painter, size_t row, int y, int height, const QTextLayout& layout) const;

    const LogBuffer* m_buffer = nullptr;
    QStringList m_hosts;
    LogIndex m_index;
    const Theme* m_theme = &lightTheme();
    bool m_isFollowing = true;
    bool m_isWrapping = false;
    bool m_isPlacing = false; // the scroll bar moves by our own hand
    int m_lineHeight = 16;
    double m_columnWidth = 8; // of the fixed font
    int m_prefixWidth = 0;
    int m_widest = 0;                          // of the lines drawn so far
    uint64_t m_top = 0;                        // number of the line at the top while not following
    std::optional<uint64_t> m_current, m_mark; // numbers: the cursor and where the selection began
    QTimer m_search;                           // runs while lines are still to be looked at
};

} // namespace lockstep
