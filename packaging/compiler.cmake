# SPDX-License-Identifier: Apache-2.0
# Chooses the compiler, the linker and the compiler cache. Include before project().

set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build")
set(LOCKSTEP_WINDOW_OPTIONS "" CACHE STRING "Compile options of the window, tests/support and the property tests, for a shorter build")
set(LOCKSTEP_TEST_OPTIONS "" CACHE STRING "Compile options of the tests, for a shorter build")

# clang-16 and lld, if they are installed and no other compiler was chosen, because they build faster than GCC and GNU ld.
find_program(LOCKSTEP_CLANGXX clang++-16)
find_program(LOCKSTEP_CLANG clang-16)
find_program(LOCKSTEP_LLD ld.lld-16)
if(LOCKSTEP_CLANGXX AND LOCKSTEP_CLANG AND NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
    set(CMAKE_CXX_COMPILER ${LOCKSTEP_CLANGXX})
    set(CMAKE_C_COMPILER ${LOCKSTEP_CLANG})
endif()
if(LOCKSTEP_LLD AND CMAKE_CXX_COMPILER STREQUAL LOCKSTEP_CLANGXX)
    add_link_options(-fuse-ld=lld)
endif()

# Makes GCC collect garbage less often, which saves time.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=524288>)

# ccache, if it is installed, so that unchanged sources are not compiled again. CCACHE_DISABLE=1 turns it off for one build.
option(LOCKSTEP_CCACHE "Compile with ccache if it is installed" ON)
find_program(CCACHE_PROGRAM ccache)
if(LOCKSTEP_CCACHE AND CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
