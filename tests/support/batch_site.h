// SPDX-License-Identifier: Apache-2.0
// BatchSite is a folder with reports and a plan, and the program that runs in it. A stand-in for nsys opens
// reports named .nsys-rep. A test can hold it, or make it end the task that called it, so that events in the
// middle of a batch happen at a known time.
#pragma once

#include <map>
#include <memory>

#include <QProcess>

#include "tests/support/program_run.h"
#include "tests/support/temp_dir.h"

namespace lockstep::test {

class BatchSite {
  public:
    BatchSite();
    ~BatchSite();

    const std::filesystem::path& folder() const { return m_folder.path(); }
    // Adds a trace of one rank with `kernels` kernels.
    void addTrace(const std::filesystem::path& name, int rank, int kernels = 20) const;
    // Adds a report that the nsys stand-in opens.
    void addRecording(const std::filesystem::path& name, const std::string& content = {}) const;
    // Writes plan.yaml: the lines of every test, and these.
    void writePlan(const std::string& lines) const;
    std::string plan =
        "inputs: [reports]\nexport: [inventory, cuda_gpu_kern_sum]\nformat: json\noutput: out\n";

    // The nsys stand-in prints "held" once, and waits while this is set.
    void hold(bool isOn) const;
    bool isHeld() const;
    // The nsys stand-in ends the process that called it: the next time, or every time.
    void killCaller(bool isAlways) const;
    // Every time on that Slurm node, once another node has opened a report.
    void killCallersOn(const std::string& node) const;
    void killNobody() const;

    ProgramRun run(const QStringList& arguments) const;
    ProgramRun batch(const QStringList& more = {}) const
    {
        return run(QStringList{"--batch", "plan.yaml"} + more);
    }
    std::unique_ptr<QProcess> start(const QStringList& arguments) const;
    // Adds a program of that name that is found before the system's. REAL in the script is the system's.
    void addProgram(const std::string& name, std::string script) const;
    void setEnvironment(const QString& name, const QString& value) { m_environment.insert(name, value); }
    const QProcessEnvironment& environment() const { return m_environment; }

    std::filesystem::path results() const { return folder() / "out/.batch/reports"; }
    size_t resultCount() const;
    // Returns the inode of each result: one that is written again has another.
    std::map<std::string, uint64_t> resultInodes() const;
    // Returns the files of a folder by name, without internal files of the batch.
    std::map<std::string, std::string> tables(const std::string& name = "out") const;
    // Returns the result of one process: --export with these arguments into a new folder.
    std::map<std::string, std::string> exported(const QStringList& words, int status = 0) const;
    // Returns processes of tasks that still run.
    size_t tasksRunning() const;

  private:
    TempDir m_folder;
    QProcessEnvironment m_environment;
};

} // namespace lockstep::test
