// SPDX-License-Identifier: Apache-2.0
// SourcePopover is a card below a table cell that shows how the number in the cell was obtained: the
// definition, the files with their SHA-256 digests, rows, filter, alignment and error bound. Digests are
// computed off the UI thread and cached until the file changes. Esc or a click elsewhere closes the card. UI
// thread.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <QFrame>
#include <QPointer>

#include "core/analysis/cell_source.h"
#include "ui/async/latest_job.h"

class QGridLayout;
class QLabel;
class QPushButton;
class QScrollArea;

namespace lockstep {

class SourcePopover : public QFrame {
    Q_OBJECT

  public:
    // The card is a child of `window` and stays within it.
    explicit SourcePopover(QWidget* window);

    // cell: rectangle in window pixels. sql: an equivalent SQL query; empty if there is none. hasInstances:
    // true if the row links to slices.
    void showSource(const CellSource& source, const ScenePtr& scene, const QRect& cell, const QString& sql,
                    bool hasInstances);
    // Returns the text that the Copy button copies, one line per item.
    QString text() const;
    bool isBusy() const { return m_job.isRunning(); }

  signals:
    void showRequested();
    void sqlRequested(const QString& query);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

  private:
    struct File {
        std::string path;
        QLabel* digest = nullptr;
    };
    // Digest is the cached digest of a file, with the file size and modification time at which the digest was
    // computed.
    struct Digest {
        uintmax_t size_bytes = 0;
        std::filesystem::file_time_type changed;
        std::string sha256;
    };
    using Digests = std::map<std::string, Digest>;

    QWidget* makeFooter();
    void clear();
    void addLine(const QString& heading, const QString& line);
    void addInputs(const CellSource& source, const Scene& scene);
    void fetchDigests();
    void applyDigests(Result<std::shared_ptr<const Digests>> outcome);
    void place(const QRect& cell);

    QLabel* m_value;
    QLabel* m_of;
    QScrollArea* m_area;
    QWidget* m_body = nullptr;
    QGridLayout* m_lines = nullptr;
    QPushButton* m_show = nullptr;
    QPushButton* m_sql = nullptr;
    QPushButton* m_copy = nullptr;
    QString m_query;
    QPointer<QWidget> m_before; // widget that previously had the focus
    std::vector<File> m_files;
    Digests m_digests;
    LatestJob<std::shared_ptr<const Digests>> m_job;
};

} // namespace lockstep
