// SPDX-License-Identifier: Apache-2.0
// Scope guards for state that the library changes temporarily on a thread of the program. Any thread.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <cerrno>

namespace lockstep::capture {

// ErrnoGuard restores the program's errno when it is destroyed.
class ErrnoGuard {
  public:
    ErrnoGuard() noexcept : m_errno(errno) {}
    ~ErrnoGuard() { errno = m_errno; }
    ErrnoGuard(const ErrnoGuard&) = delete;
    ErrnoGuard& operator=(const ErrnoGuard&) = delete;

  private:
    int m_errno;
};

// CancellationOff postpones a cancellation of the thread. Otherwise a cancellation in a library function that
// is a cancellation point would kill the program, because no exception may leave the library.
class CancellationOff {
  public:
    CancellationOff() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &m_before); }
    ~CancellationOff() { pthread_setcancelstate(m_before, nullptr); }
    CancellationOff(const CancellationOff&) = delete;
    CancellationOff& operator=(const CancellationOff&) = delete;

  private:
    int m_before = PTHREAD_CANCEL_ENABLE;
};

// SignalsBlocked postpones signal handlers of the program on this thread, so that they cannot enter the
// library while it holds a lock or allocates memory. Signals caused by an instruction of this thread are not
// blocked, because blocking them would kill the program.
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
