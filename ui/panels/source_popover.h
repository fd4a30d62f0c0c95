// SPDX-License-Identifier: Apache-2.0
// SourcePopover: the card under a cell that says where its number comes from: definition, files with their
// sha256, rows, filter, alignment and bound. Digests are computed off the UI thread and kept for as long as
// the file stays as it was. Escape, or a click elsewhere, closes it. UI thread.
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
    // window: what it lies over, and stays within.
    explicit SourcePopover(QWidget* window);

    // cell: in the window's pixels. sql: what asks for the same; empty: nothing does. hasInstances: a row
    // leads to slices.
    void showSource(const CellSource& source, const ScenePtr& scene, const QRect& cell, const QString& sql,
                    bool hasInstances);
    // All that it says, a line each; also what Copy gives.
    QString text() const;
    bool isBusy() const { return m_job.isRunning(); }
    QPushButton* showButton() const { return m_show; }
    QPushButton* sqlButton() const { return m_sql; }

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
    // By path; size and time of change as they were.
    struct Digest {
        uintmax_t size_bytes = 0;
        std::filesystem::file_time_type changed;
        std::string sha256;
    };
    using Digests = std::map<std::string, Digest>;

    QWidget* makeFoot();
    void clear();
    void addLine(const QString& heading, const QString& line);
    void addInputs(const CellSource& source, const Scene& scene);
    void fetchDigests();
    void takeDigests(Result<std::shared_ptr<const Digests>> outcome);
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
    QPointer<QWidget> m_before; // had the focus
    std::vector<File> m_files;
    Digests m_known;
    LatestJob<std::shared_ptr<const Digests>> m_job;
};

} // namespace lockstep
