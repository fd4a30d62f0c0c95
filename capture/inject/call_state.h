// SPDX-License-Identifier: Apache-2.0
// What the library changes for a moment on a thread of the program and puts back: scope guards. Any thread.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <cerrno>

namespace lockstep::capture {

// The program's errno survives the call.
class KeptErrno {
  public:
    KeptErrno() noexcept : m_errno(errno) {}
    ~KeptErrno() { errno = m_errno; }
    KeptErrno(const KeptErrno&) = delete;
    KeptErrno& operator=(const KeptErrno&) = delete;

  private:
    int m_errno;
};

// A thread that is to be cancelled is so afterwards: library functions that it could be cancelled in would
// end the program, because no exception may leave the library.
class CancellationOff {
  public:
    CancellationOff() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &m_before); }
    ~CancellationOff() { pthread_setcancelstate(m_before, nullptr); }
    CancellationOff(const CancellationOff&) = delete;
    CancellationOff& operator=(const CancellationOff&) = delete;

  private:
    int m_before = PTHREAD_CANCEL_ENABLE;
};

// Signal handlers of the program run on this thread only afterwards, so that they cannot enter the library
// where it holds a lock or allocates. Not for signals that an instruction of this thread causes: a blocked
// one ends the program.
class SignalsBlocked {
  public:
    SignalsBlocked() noexcept
    {
        sigset_t blocked;
        sigfillset(&blocked);
        for (const int caused : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT})
            sigdelset(&blocked, caused);
        pthread_sigmask(SIG_SETMASK, &blocked, &m_before);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &m_before, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  private:
    sigset_t m_before;
};

} // namespace lockstep::capture
