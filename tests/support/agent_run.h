// SPDX-License-Identifier: Apache-2.0
// Runs the built lockstep-agent over real processes. An AgentRun is one run in its own folder. Its destructor
// stops everything it started.
#pragma once

#include <functional>

#include <QByteArray>
#include <QJsonArray>
#include <QJsonObject>
#include <QList>
#include <QProcess>
#include <QStringList>

#include "tests/support/patience.h"
#include "tests/support/temp_dir.h"

namespace lockstep::test {

struct AgentAnswer {
    int status = -1; // -1 if it did not end by itself in time
    QByteArray output;
    QByteArray errors;

    QList<QJsonObject> objects() const; // one per line of output
};

// Returns the environment of an agent: HOME is `home`, PATH begins with `home`/bin, where stand-ins for
// programs are.
QProcessEnvironment agentEnvironment(const std::filesystem::path& home);
AgentAnswer runAgent(const std::filesystem::path& home, const QStringList& arguments,
                     const QByteArray& input = {});

// Returns a plan as lockstep prints it for one host.
QJsonObject hostPlan(const QList<QStringList>& commands, const QStringList& reportFolders = {});
QStringList shell(const QString& script);

class AgentRun {
  public:
    // Starts nothing yet. The name of the run folder contains a blank and a quote.
    explicit AgentRun(const QJsonObject& plan);
    AgentRun(const AgentRun&) = delete;
    AgentRun& operator=(const AgentRun&) = delete;
    ~AgentRun();

    // Calls `run --detach` with further options.
    AgentAnswer start(const QStringList& options = {});
    AgentAnswer agent(const QStringList& arguments) { return runAgent(home(), arguments); }
    // Calls `attach` until the end of the run. Returns its exit status and every event.
    AgentAnswer attach(const QStringList& options = {});
    AgentAnswer stop(const QStringList& options = {});

    const std::filesystem::path& home() const { return m_home.path(); }
    std::filesystem::path folder() const { return home() / "run 'one'"; }
    QString folderText() const { return QString::fromStdString(folder().string()); }
    // Returns the current events of the log, complete lines only.
    QList<QJsonObject> events() const;
    // Waits for an event of this kind; empty after the deadline.
    QJsonObject waitFor(const std::function<bool(const QJsonObject&)>& wanted,
                        int patience_ms = kPatience_ms) const;
    // Returns the pid of the supervisor; 0 if there is none.
    int supervisor() const;

  private:
    TempDir m_home;
};

// Return the text of all events of one kind, joined; and the events of one kind.
QString textOf(const QList<QJsonObject>& events, const QString& kind, int command = -1);
QList<QJsonObject> ofKind(const QList<QJsonObject>& events, const QString& kind);
// Returns true if seq counts 1, 2, 3, ...
bool isGapless(const QList<QJsonObject>& events);
bool isRunning(int pid);

} // namespace lockstep::test
