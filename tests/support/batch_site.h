// SPDX-License-Identifier: Apache-2.0
// BatchSite: a folder with reports and a plan, and the program run in it. Reports named .nsys-rep are opened
// by an nsys of our own, which a test can hold, or have end the task that called it: so what happens in the
// middle of a batch happens at a known moment.
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
    // A trace of one rank, `kernels` kernels long.
    void addTrace(const std::filesystem::path& name, int rank, int kernels = 20) const;
    // A report that is opened by our nsys.
    void addRecording(const std::filesystem::path& name, const std::string& content = {}) const;
    // plan.yaml: the lines of every test, and these.
    void writePlan(const std::string& lines) const;
    std::string plan =
        "inputs: [reports]\nexport: [inventory, cuda_gpu_kern_sum]\nformat: json\noutput: out\n";

    // Our nsys says "held" once, and waits as long as this is set.
    void hold(bool isOn) const;
    bool isHeld() const;
    // Our nsys ends the process that called it: the next time, or every time.
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
    // A program of that name, found before the system's. REAL in the script is the system's.
    void addProgram(const std::string& name, std::string script) const;
    void setEnvironment(const QString& name, const QString& value) { m_environment.insert(name, value); }
    const QProcessEnvironment& environment() const { return m_environment; }

    std::filesystem::path results() const { return folder() / "out/.batch/reports"; }
    size_t resultCount() const;
    // Inode of each result: one that is made again has another.
    std::map<std::string, uint64_t> resultInodes() const;
    // Files of a folder by name, without what the batch keeps there.
    std::map<std::string, std::string> tables(const std::string& name = "out") const;
    // The same that one process makes: --export with these words into a folder that is new.
    std::map<std::string, std::string> exported(const QStringList& words, int status = 0) const;
    // Processes of tasks that still run.
    size_t tasksRunning() const;

  private:
    TempDir m_folder;
    QProcessEnvironment m_environment;
};

} // namespace lockstep::test
