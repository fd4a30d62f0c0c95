// SPDX-License-Identifier: Apache-2.0
// RealNsys: the vendor's own nsys, fetched once into the build folder by tests/support/real_nsys.sh, and a
// program with NVTX ranges for it to record. For label `nsys`.
#pragma once

#include <filesystem>
#include <string>

#include <QProcessEnvironment>
#include <QStringList>

namespace lockstep::test {

struct RealNsys {
    std::filesystem::path folder; // holds `nsys`
    std::string problem;          // why there is none; empty where there is
};

// Fetches it on the first call of the first test; takes seconds then.
const RealNsys& realNsys();

// Runs nsys with TMPDIR and HOME in `scratch`, in `scratch`. Both outputs; `status` -1 when it did not end.
struct NsysRun {
    int status = -1;
    QByteArray output;
};
NsysRun runNsys(const std::filesystem::path& scratch, const QStringList& arguments,
                const std::filesystem::path& program = realNsys().folder / "nsys");

// `nsys profile -o NAME` with these arguments into scratch/NAME.nsys-rep (.qdstrm where it cannot convert).
// Under load its daemon now and then gives up before it recorded anything ("End of file"), which says nothing
// about Lockstep: what left neither file is tried three times.
NsysRun profile(const std::filesystem::path& scratch, const std::string& name, const QStringList& arguments,
                const std::filesystem::path& program = realNsys().folder / "nsys");

// Compiles the NVTX program to `program`; the compiler's complaint, empty when all is well. The program takes
// a number of steps. A step is a push/pop range "step" with two ranges of the domain "model" inside, a
// start/end range, a mark, an open file and some sleep; it prints "step:N - loss:0.5".
std::string buildNvtxProgram(const std::filesystem::path& program);

// Records `steps` steps of it without sampling, which needs rights, into scratch/NAME.nsys-rep; the file.
// Further options come before the program's name.
std::filesystem::path record(const std::filesystem::path& scratch, const std::string& name, int steps,
                             const QStringList& options = {"--trace=nvtx,osrt"},
                             const std::filesystem::path& program = realNsys().folder / "nsys");

} // namespace lockstep::test

// First line of a function of label `nsys`.
#define LOCKSTEP_NEED_NSYS()                                                                                 \
    if (!lockstep::test::realNsys().problem.empty()) QSKIP(lockstep::test::realNsys().problem.c_str())
