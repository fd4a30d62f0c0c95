// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value or the one Error that explains why there is none. Made wherever something can fail,
// handled exactly once: passed on with withContext(), or shown. Usable on every thread; no exceptions are
// involved. Status is the Result of what has nothing to hand back but whether it went well.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace lockstep {

enum class ErrorKind {
    invalid,     // the caller's words are wrong: an option, a setting, a value
    notFound,    // a file, table, host or name that is not there
    corrupt,     // the input breaks its own format beyond what can be read
    unsupported, // a known kind or version that this build cannot read
    io,          // the operating system refused
    remote,      // the other end of a connection failed
    canceled     // the user asked to stop
};

// The lower-case word used on standard error and in tests, e.g. "not found".
std::string_view errorKindName(ErrorKind kind);

// message says what, where, why and what to do, in this order, in one line without a final full stop.
struct Error {
    ErrorKind kind = ErrorKind::invalid;
    std::string message;

    friend bool operator==(const Error&, const Error&) = default;
};

template<class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
  public:
    using tl::expected<T, Error>::expected;
};

// tl's expected<void> cannot be dereferenced; with this LOCKSTEP_TRY is one macro for both.
template<>
class [[nodiscard]] Result<void> : public tl::expected<void, Error> {
  public:
    using tl::expected<void, Error>::expected;
    void operator*() const noexcept {}
};

// `return {};` says that it went well.
using Status = Result<void>;

// makeError(kind, text) is what a failing function returns.
inline tl::unexpected<Error> makeError(ErrorKind kind, std::string message)
{
    return tl::make_unexpected(Error{kind, std::move(message)});
}

// The same error with "context: " in front of its message.
inline Error withContext(Error error, std::string_view context)
{
    error.message.insert(0, std::string(context) + ": ");
    return error;
}

} // namespace lockstep

// Yields the value of a Result (of a Status nothing), or returns its error from the enclosing function.
// auto file = LOCKSTEP_TRY(MappedFile::open(path));
#define LOCKSTEP_TRY(expression)                                                                             \
    __extension__({                                                                                          \
        auto lockstepTried = (expression);                                                                   \
        if (!lockstepTried) return tl::make_unexpected(std::move(lockstepTried).error());                    \
        *std::move(lockstepTried);                                                                           \
    })
