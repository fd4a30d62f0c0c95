// SPDX-License-Identifier: Apache-2.0
#include "core/servers/server_url.h"

#include <algorithm>

#include "core/base/text.h"

namespace lockstep {

namespace {

// Returns the size of "http://" or "https://" at the beginning of the text, or 0.
size_t schemeSize(std::string_view text)
{
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (lowerAscii(text.substr(0, scheme.size())) == scheme) return scheme.size();
    }
    return 0;
}

bool isPort(std::string_view text)
{
    const auto port = parseInt(text);
    return port && *port >= 1 && *port <= 65'535;
}

// Splits HOST, HOST:PORT or [IPV6]:PORT. `port` is empty if there is none.
bool splitAuthority(std::string_view authority, std::string_view& host, std::string_view& port)
{
    size_t colon = authority.rfind(':');
    if (authority.starts_with('[')) {
        const size_t end = authority.find(']');
        if (end == authority.npos) return false;
        host = authority.substr(1, end - 1);
        if (end + 1 == authority.size()) return !host.empty();
        if (authority[end + 1] != ':') return false;
        colon = end + 1;
    } else {
        host = authority.substr(0, colon);
        if (host.find(':') != host.npos) return false; // an IPv6 address needs brackets
    }
    if (colon == authority.npos) return !host.empty();
    port = authority.substr(colon + 1);
    return !host.empty() && isPort(port);
}

} // namespace

bool isServerUrl(std::string_view text)
{
    return schemeSize(text) > 0;
}

Result<std::string> checkedServerUrl(std::string_view text)
{
    const size_t scheme = schemeSize(text);
    if (scheme == 0)
        return makeError(ErrorKind::invalid,
                         "'" + printable(text) +
                             "' is not the address of a server; use http://HOST:PORT or https://HOST:PORT");
    std::string_view rest = text.substr(scheme);
    if (rest.substr(0, rest.find('/')).find('@') != rest.npos)
        return makeError(ErrorKind::invalid,
                         "the address of a server must not contain a user or password; set "
                         "the key in the environment variable LOCKSTEP_SERVER_KEY");
    const auto isBad = [](char c) {
        return static_cast<unsigned char>(c) <= ' ' || c == '\x7f' || c == '"' || c == '\\';
    };
    while (rest.ends_with('/'))
        rest.remove_suffix(1);
    std::string_view host, port;
    if (rest.find_first_of("?#") != rest.npos || std::ranges::any_of(rest, isBad) ||
        !splitAuthority(rest.substr(0, rest.find('/')), host, port))
        return makeError(ErrorKind::invalid,
                         "'" + printable(text) +
                             "' is not a valid server address; use http://HOST:PORT, for example "
                             "http://node1:30000");
    return lowerAscii(text.substr(0, scheme)) + std::string(rest);
}

std::string_view hostOfServerUrl(std::string_view url)
{
    const std::string_view rest = url.substr(schemeSize(url));
    std::string_view host, port;
    splitAuthority(rest.substr(0, rest.find('/')), host, port);
    return host;
}

bool isLoopbackHost(std::string_view host)
{
    return lowerAscii(host) == "localhost" || host.starts_with("127.") || host == "::1";
}

} // namespace lockstep
