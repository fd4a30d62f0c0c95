// SPDX-License-Identifier: Apache-2.0
// Measures the processor time of the whole process, all threads. For limits that must also hold on a machine
// whose cores are busy with other programs.
#pragma once

#include <ctime>

#include <QtGlobal>

namespace lockstep::test {

inline double cpuSeconds()
{
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

// The processor time since the construction.
class CpuTimer {
  public:
    qint64 elapsed_ms() const { return qRound64((cpuSeconds() - m_start_s) * 1000); }

  private:
    double m_start_s = cpuSeconds();
};

} // namespace lockstep::test
