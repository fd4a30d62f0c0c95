// SPDX-License-Identifier: Apache-2.0
// A library that ends_program loads after some recording.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

void leaveAtOnce(void)
{
    _exit(0);
}

void becomeTrue(void)
{
    execl("/bin/true", "true", (char*)0);
}

// This library is loaded with RTLD_LOCAL. It finds this symbol only if dlsym() recognizes it as the caller.
int isKnownAsCaller(void)
{
    return dlsym(RTLD_DEFAULT, "leaveAtOnce") == (void*)&leaveAtOnce;
}
