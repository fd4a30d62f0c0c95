# SPDX-License-Identifier: Apache-2.0
# Uses ccache if it is installed, so that unchanged sources are not compiled again. CCACHE_DISABLE=1 turns it off for one build.
option(LOCKSTEP_CCACHE "Compile with ccache if it is installed" ON)
find_program(CCACHE_PROGRAM ccache)
if(LOCKSTEP_CCACHE AND CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
