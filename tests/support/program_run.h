// SPDX-License-Identifier: Apache-2.0
// Runs the built program as a script would: with an empty environment and standard streams that are not
// terminals.
#pragma once

#include <utility>
#include <vector>

#include <QProcess>
#include <QStringList>

#include "tests/support/patience.h"
#include "tests/support/places.h"

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

// `variables` are pairs of names and values.
inline ProgramRun runLockstep(const QStringList& arguments, const QByteArray& input = {},
                              const std::vector<std::pair<QString, QString>>& variables = {})
{
    QProcess process;
    QProcessEnvironment empty;
    empty.insert("LC_ALL", "C"); // an empty one would mean "inherit"
    for (const auto& [name, value] : variables)
        empty.insert(name, value);
    process.setProcessEnvironment(empty);
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
