// SPDX-License-Identifier: Apache-2.0
// LockstepProcess is the built program while it runs, with its JSON lines as they arrive. For tests that act
// in the middle of a run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStringList>
#include <QTest>

#include "tests/support/patience.h"
#include "tests/support/places.h"

namespace lockstep::test {

// Matches the line that reports the end of all commands of a host, not of one.
inline bool isRunEnd(const QJsonObject& line)
{
    return line["run"].toBool();
}

class LockstepProcess {
  public:
    LockstepProcess(const QProcessEnvironment& environment, const QStringList& arguments)
    {
        m_process.setProcessEnvironment(environment);
        QObject::connect(&m_process, &QProcess::readyReadStandardOutput, &m_process, [this] { take(); });
        m_process.start(builtProgram("lockstep"), arguments);
    }
    ~LockstepProcess()
    {
        m_process.kill();
        m_process.waitForFinished(kPatience_ms);
    }

    using Match = std::function<bool(const QJsonObject&)>;
    // Returns true once a matching line has arrived, before or after the call. Otherwise prints the output
    // when the program has ended or the time is over.
    bool waitForLine(const Match& match)
    {
        size_t seen = 0;
        bool isFound = false;
        const auto isOver = [&] {
            const bool hasEnded = !isRunning();
            if (hasEnded) take();
            while (!isFound && seen < m_lines.size())
                isFound = match(m_lines[seen++]);
            return isFound || hasEnded;
        };
        if (!waitUntil(isOver) || !isFound) printOutput();
        return isFound;
    }
    void printOutput()
    {
        qWarning() << (isRunning() ? "running" : "ended with") << m_process.exitCode() << errors();
        for (const QJsonObject& line : m_lines)
            qWarning().noquote() << QJsonDocument(line).toJson(QJsonDocument::Compact).left(400);
    }
    // Returns the exit status; -1 if it did not end by itself in time.
    int waitForEnd()
    {
        const bool isOver = waitUntil([this] { return m_process.state() == QProcess::NotRunning; });
        take();
        m_errors += m_process.readAllStandardError();
        if (!isOver) printProcesses();
        const bool hasEnded = isOver && m_process.exitStatus() == QProcess::NormalExit;
        return hasEnded ? m_process.exitCode() : -1;
    }
    // Prints what the program said, and the processes of the machine, to find what it waits for.
    void printProcesses()
    {
        printOutput();
        QProcess list;
        list.start("ps", {"axfo", "pid,ppid,stat,wchan:24,etimes,args"});
        list.waitForFinished(30'000);
        qWarning().noquote() << list.readAllStandardOutput().left(20'000);
    }
    bool isRunning() const { return m_process.state() != QProcess::NotRunning; }
    void kill() { m_process.kill(); }
    void terminate() { m_process.terminate(); }
    qint64 processId() const { return m_process.processId(); }
    const std::vector<QJsonObject>& lines() const { return m_lines; }
    std::vector<QJsonObject> linesWhere(const Match& match) const
    {
        std::vector<QJsonObject> found;
        std::copy_if(m_lines.begin(), m_lines.end(), std::back_inserter(found), match);
        return found;
    }
    size_t verifiedFiles() const
    {
        return linesWhere([](const QJsonObject& line) {
                   return line["kind"] == "file" && line["state"] == "verified";
               })
            .size();
    }
    QByteArray errors()
    {
        m_errors += m_process.readAllStandardError();
        return m_errors;
    }
    // Returns the id of the run from its first line; empty before.
    QString runId() const
    {
        for (const QJsonObject& line : m_lines) {
            if (line["kind"] == "run") return line["id"].toString();
        }
        return {};
    }

  private:
    void take()
    {
        m_partial += m_process.readAllStandardOutput();
        qsizetype begin = 0;
        for (qsizetype end = m_partial.indexOf('\n'); end >= 0; end = m_partial.indexOf('\n', begin)) {
            const QByteArray line = m_partial.mid(begin, end - begin);
            begin = end + 1;
            m_lines.push_back(QJsonDocument::fromJson(line).object());
        }
        m_partial.remove(0, begin);
    }

    QProcess m_process;
    QByteArray m_partial, m_errors;
    std::vector<QJsonObject> m_lines;
};

} // namespace lockstep::test
