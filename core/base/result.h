// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or the Error that explains why there is no value. Created wherever something can fail
// and handled exactly once: passed on with withContext(), or shown. Any thread; no exceptions. Status is a
// Result without a value.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

#include "core/base/help_topic.h"

namespace lockstep {

enum class ErrorKind {
    invalid,     // invalid input from the caller: an option, a setting, a value
    notFound,    // a file, table, host or name does not exist
    corrupt,     // the input violates its own format and cannot be read
    unsupported, // a known kind or version that this build cannot read
    io,          // the operating system reported an error
    remote,      // the peer of a connection failed
    canceled     // the user requested a stop
};

// Returns the lower-case name used on standard error and in tests, for example "not found".
std::string_view errorKindName(ErrorKind kind);

// An error. The message states what failed, where, why and the remedy, in this order, in one line without a
// final period.
struct Error {
    ErrorKind kind = ErrorKind::invalid;
    std::string message;
    HelpTopic help = HelpTopic::none; // the help topic for the error

    friend bool operator==(const Error&, const Error&) = default;
};

template<class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
  public:
    using tl::expected<T, Error>::expected;
};

// tl::expected<void> cannot be dereferenced. With this operator, LOCKSTEP_TRY is a single macro for both.
template<>
class [[nodiscard]] Result<void> : public tl::expected<void, Error> {
  public:
    using tl::expected<void, Error>::expected;
    void operator*() const noexcept {}
};

// `return {};` means success.
using Status = Result<void>;

// Returns an error, for use in a return statement.
inline tl::unexpected<Error> makeError(ErrorKind kind, std::string message, HelpTopic help = HelpTopic::none)
{
    return tl::make_unexpected(Error{kind, std::move(message), help});
}

// Returns the error with "context: " in front of its message, and with an unchanged help topic.
inline Error withContext(Error error, std::string_view context)
{
    error.message.insert(0, std::string(context) + ": ");
    return error;
}

} // namespace lockstep

// Evaluates to the value of a Result (for a Status: nothing), or returns its error from the enclosing
// function. Example:
// auto file = LOCKSTEP_TRY(MappedFile::open(path));
#define LOCKSTEP_TRY(expression)                                                                             \
    __extension__({                                                                                          \
        auto lockstepTried = (expression);                                                                   \
        if (!lockstepTried) return tl::make_unexpected(std::move(lockstepTried).error());                    \
        *std::move(lockstepTried);                                                                           \
    })
