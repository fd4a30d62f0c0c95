// SPDX-License-Identifier: Apache-2.0
// SteppedProgram controls capture-losses step by step: a command is complete when tell() returns.
#pragma once

#include <csignal>

#include "tests/capture/captured_run.h"
#include "tests/support/patience.h"

namespace lockstep::test {

inline QString logIn(const TempDir& folder)
{
    return QString::fromStdString((folder.path() / "capture.log").string());
}

class SteppedProgram {
  public:
    // start: the working folder in which the program starts; empty: the test's own.
    SteppedProgram(std::filesystem::path output, const Settings& settings,
                   const std::filesystem::path& start = {})
        : m_output(std::move(output))
    {
        if (!start.empty()) m_process.setWorkingDirectory(QString::fromStdString(start.string()));
        m_process.setProcessEnvironment(captureEnvironment(m_output, settings));
        m_process.start(builtProgram("capture-losses"), {"talk"});
    }

    void tell(const QByteArray& command)
    {
        m_process.write(command + "\n");
        while (!m_process.canReadLine()) {
            if (!m_process.waitForReadyRead(kPatience_ms)) qFatal("no answer to '%s'", command.constData());
        }
        m_process.readLine();
    }
    void terminate() { ::kill(static_cast<pid_t>(m_process.processId()), SIGTERM); }
    // Returns the number of ranges in the files while the program runs.
    uint64_t rangesSoFar() const
    {
        CapturedRun run;
        readReports(run, m_output);
        uint64_t count = 0;
        for (const auto& report : run.reports)
            count += countOf(*report, "nvtx_pushpop");
        return count;
    }
    // Closes the program's standard input, which ends it, and reads the reports that it left.
    CapturedRun end()
    {
        m_process.closeWriteChannel();
        CapturedRun run;
        if (m_process.waitForFinished(kPatience_ms) && m_process.exitStatus() == QProcess::NormalExit)
            run.status = m_process.exitCode();
        run.errors = m_process.readAllStandardError();
        readReports(run, m_output);
        return run;
    }

  private:
    std::filesystem::path m_output;
    QProcess m_process;
};

} // namespace lockstep::test
