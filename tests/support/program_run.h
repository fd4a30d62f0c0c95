// SPDX-License-Identifier: Apache-2.0
// Runs the built program as a script would: with a bare environment and standard streams that are not
// terminals.
#pragma once

#include <utility>
#include <vector>

#include <QProcess>
#include <QStringList>

#include "tests/support/patience.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"

namespace lockstep::test {

struct ProgramRun {
    int status = -1; // -1 if it did not end by itself
    QByteArray output;
    QByteArray errors;

    QList<QByteArray> errorLines() const
    {
        QList<QByteArray> lines = errors.split('\n');
        lines.removeAll({});
        return lines;
    }
};

// Returns an environment with LC_ALL and an empty home folder, which the programs of a test process share:
// what other runs left in the home of the user, such as reports of crashes, must not change a result.
inline QProcessEnvironment bareEnvironment()
{
    static const TempDir home;
    QProcessEnvironment environment;
    environment.insert("LC_ALL", "C");
    environment.insert("HOME", QString::fromStdString(home.path().string()));
    return environment;
}

// `variables` are pairs of names and values, added to bareEnvironment().
inline ProgramRun runLockstep(const QStringList& arguments, const QByteArray& input = {},
                              const std::vector<std::pair<QString, QString>>& variables = {})
{
    QProcess process;
    QProcessEnvironment environment = bareEnvironment();
    for (const auto& [name, value] : variables)
        environment.insert(name, value);
    process.setProcessEnvironment(environment);
    process.start(builtProgram("lockstep"), arguments);
    process.write(input);
    process.closeWriteChannel();
    ProgramRun run;
    if (process.waitForFinished(kPatience_ms) && process.exitStatus() == QProcess::NormalExit)
        run.status = process.exitCode();
    run.output = process.readAllStandardOutput();
    run.errors = process.readAllStandardError();
    return run;
}

} // namespace lockstep::test
