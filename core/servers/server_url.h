// SPDX-License-Identifier: Apache-2.0
// Addresses of inference servers. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep {

// Returns true for text that begins with http:// or https://.
bool isServerUrl(std::string_view text);
// Returns the address as scheme://host[:port][/path] without a final slash. Errors: invalid for another
// scheme, no host, a bad port, a query, control characters or spaces, and for credentials in the address,
// which would be stored and shown. No message contains credentials.
Result<std::string> checkedServerUrl(std::string_view text);
// Returns the host of a checked address, without brackets around an IPv6 address.
std::string_view hostOfServerUrl(std::string_view url);
// Returns true for names and addresses of the machine that sends the request: localhost, 127.x, ::1.
bool isLoopbackHost(std::string_view host);

} // namespace lockstep
