// SPDX-License-Identifier: Apache-2.0
// ServersDialog records with the profilers of the inference servers of a run: fields for what to record, and
// a table of the servers with their states and results. Closing it during a recording stops the profilers
// first. UI thread; never blocks.
#pragma once

#include <vector>

#include <QDialog>

#include "core/remote/server_recorder.h"

class QCheckBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QTreeWidget;
class QTreeWidgetItem;

namespace lockstep {

class ServersDialog : public QDialog {
    Q_OBJECT

  public:
    // key: see kServerKeyVariable.
    ServersDialog(std::vector<ServerTarget> targets, std::string key, QWidget* parent);

    bool isRecording() const { return m_recorder != nullptr && !m_recorder->isFinished(); }
    QTreeWidget* table() const { return m_table; }
    QPushButton* recordButton() const { return m_record; }
    QLabel* summary() const { return m_summary; }
    // Starts a recording with the values of the fields.
    void record();
    void reject() override;

  private:
    QWidget* makeFields();
    void showTargets();
    void showServer(size_t server);
    void showDetail();
    void showEnd();
    void enable();

    std::vector<ServerTarget> m_targets;
    std::string m_key;
    std::unique_ptr<ServerRecorder> m_recorder;
    QSpinBox* m_steps;
    QCheckBox* m_isLimited;
    QDoubleSpinBox* m_seconds;
    QCheckBox* m_isByStage;
    QTreeWidget* m_table;
    QLabel* m_detail; // result of the selected server
    QLabel* m_summary;
    QPushButton* m_record;
    QPushButton* m_close;
    bool m_isClosing = false;
};

} // namespace lockstep
