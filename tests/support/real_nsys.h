// SPDX-License-Identifier: Apache-2.0
// RealNsys is the real nsys, downloaded once to the build folder by tests/support/real_nsys.sh, and a program
// with NVTX ranges to record. For label `nsys`.
#pragma once

#include <filesystem>
#include <string>

#include <QProcessEnvironment>
#include <QStringList>

namespace lockstep::test {

struct RealNsys {
    std::filesystem::path folder; // folder with `nsys`
    std::string problem;          // reason why there is none; else empty
};

// Downloads nsys on the first call of the first test, which takes seconds.
const RealNsys& realNsys();

// Runs nsys with TMPDIR and HOME in `scratch`, in `scratch`. Returns both outputs; `status` is -1 if it did
// not end.
struct NsysRun {
    int status = -1;
    QByteArray output;
};
NsysRun runNsys(const std::filesystem::path& scratch, const QStringList& arguments,
                const std::filesystem::path& program = realNsys().folder / "nsys");

// Runs `nsys profile -o NAME` with these arguments, giving scratch/NAME.nsys-rep (.qdstrm if it cannot
// convert). Under load its daemon sometimes fails before it recorded anything ("End of file"), which is not
// related to Lockstep: a run without either file is tried three times.
NsysRun profile(const std::filesystem::path& scratch, const std::string& name, const QStringList& arguments,
                const std::filesystem::path& program = realNsys().folder / "nsys");

// Compiles the NVTX program to `program`. Returns the compiler error, or "" on success. The argument of the
// program is a number of steps. A step is a push/pop range "step" with two ranges of the domain "model"
// inside, a start/end range, a mark, an open file and some sleep; it prints "step:N - loss:0.5".
std::string buildNvtxProgram(const std::filesystem::path& program);

// Records `steps` steps of it to scratch/NAME.nsys-rep without sampling, which needs privileges, and returns
// the file. Further options come before the program name.
std::filesystem::path record(const std::filesystem::path& scratch, const std::string& name, int steps,
                             const QStringList& options = {"--trace=nvtx,osrt"},
                             const std::filesystem::path& program = realNsys().folder / "nsys");

} // namespace lockstep::test

// First line of a function of label `nsys`.
#define LOCKSTEP_NEED_NSYS()                                                                                 \
    if (!lockstep::test::realNsys().problem.empty()) QSKIP(lockstep::test::realNsys().problem.c_str())
