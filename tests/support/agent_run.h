// SPDX-License-Identifier: Apache-2.0
// Runs the built lockstep-agent over real processes. An AgentRun is one run in a folder of its own; whatever
// it started is stopped when the object ends.
#pragma once

#include <functional>

#include <QByteArray>
#include <QJsonArray>
#include <QJsonObject>
#include <QList>
#include <QProcess>
#include <QStringList>

#include "tests/support/temp_dir.h"

namespace lockstep::test {

struct AgentAnswer {
    int status = -1; // -1 when it did not end by itself in time
    QByteArray output;
    QByteArray errors;

    QList<QJsonObject> objects() const; // one for each line of output
};

// An agent's environment: HOME is `home`, PATH begins with `home`/bin, where stand-ins for programs go.
QProcessEnvironment agentEnvironment(const std::filesystem::path& home);
AgentAnswer runAgent(const std::filesystem::path& home, const QStringList& arguments,
                     const QByteArray& input = {});

// A plan as lockstep prints it for one host.
QJsonObject hostPlan(const QList<QStringList>& commands, const QStringList& reportFolders = {});
QStringList shell(const QString& script);

class AgentRun {
  public:
    // Starts nothing yet. The run folder's name has a blank and a quote.
    explicit AgentRun(const QJsonObject& plan);
    AgentRun(const AgentRun&) = delete;
    AgentRun& operator=(const AgentRun&) = delete;
    ~AgentRun();

    // `run --detach` with further options.
    AgentAnswer start(const QStringList& options = {});
    AgentAnswer agent(const QStringList& arguments) { return runAgent(home(), arguments); }
    // `attach` to the end of the run: its exit status and every event.
    AgentAnswer attach(const QStringList& options = {});
    AgentAnswer stop(const QStringList& options = {});

    const std::filesystem::path& home() const { return m_home.path(); }
    std::filesystem::path folder() const { return home() / "run 'one'"; }
    QString folderText() const { return QString::fromStdString(folder().string()); }
    // What the event log holds now, whole lines only.
    QList<QJsonObject> events() const;
    // Until an event of this sort is there; empty after the deadline.
    QJsonObject waitFor(const std::function<bool(const QJsonObject&)>& wanted,
                        int deadline_ms = 20'000) const;
    // The watching process; 0 when there is none.
    int supervisor() const;

  private:
    TempDir m_home;
};

// The text of all events of one kind, joined; and the events of one kind.
QString textOf(const QList<QJsonObject>& events, const QString& kind, int command = -1);
QList<QJsonObject> ofKind(const QList<QJsonObject>& events, const QString& kind);
// Whether seq counts 1, 2, 3, ...
bool isGapless(const QList<QJsonObject>& events);
bool isRunning(int pid);

} // namespace lockstep::test
