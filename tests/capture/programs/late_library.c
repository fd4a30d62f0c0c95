// SPDX-License-Identifier: Apache-2.0
// A library that ends_program loads after it has recorded something.
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

// This library is loaded RTLD_LOCAL: only where dlsym() knows that it is the caller does it find this symbol.
int isKnownAsCaller(void)
{
    return dlsym(RTLD_DEFAULT, "leaveAtOnce") == (void*)&leaveAtOnce;
}
