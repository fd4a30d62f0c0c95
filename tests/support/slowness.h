// How much longer all takes where a sanitizer looks on, for deadlines and limits of time in tests.
#pragma once

namespace lockstep::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kSlowness = 5;
#else
inline constexpr int kSlowness = 1;
#endif

} // namespace lockstep::test
