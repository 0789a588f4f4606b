/* SPDX-License-Identifier: Apache-2.0 */
#include "device/shared.h"

#include <stdio.h>
#include <string.h>

#ifdef _WIN32

#include <windows.h>

#ifndef LOAD_LIBRARY_SEARCH_SYSTEM32
#define LOAD_LIBRARY_SEARCH_SYSTEM32 0x800
#endif
#ifndef LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR
#define LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR 0x100
#endif

void *nvfp4_shared_open(const char *name, char *text, size_t capacity)
{
    WCHAR wide[MAX_PATH];
    DWORD where = LOAD_LIBRARY_SEARCH_SYSTEM32;
    HMODULE module = NULL;

    if (strpbrk(name, "/\\") != NULL)
        where |= LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR;
    if (MultiByteToWideChar(CP_UTF8, 0, name, -1, wide, MAX_PATH) != 0)
        module = LoadLibraryExW(wide, NULL, where);
    if (module == NULL)
        snprintf(text, capacity, "%s cannot be loaded: error %lu", name, GetLastError());
    return (void *)module;
}

static void *symbol(void *library, const char *name)
{
    FARPROC found = GetProcAddress((HMODULE)library, name);
    void *address = NULL;

    memcpy(&address, &found, sizeof address);
    return address;
}

void nvfp4_shared_close(void *library)
{
    FreeLibrary((HMODULE)library);
}

#else

#include <dlfcn.h>

void *nvfp4_shared_open(const char *name, char *text, size_t capacity)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);

    if (library == NULL) {
        const char *why = dlerror();
        size_t length = strlen(name);

        if (why == NULL)
            why = "no reason given";
        else if (strncmp(why, name, length) == 0 && strncmp(why + length, ": ", 2) == 0)
            why += length + 2;
        snprintf(text, capacity, "%s cannot be loaded: %s", name, why);
    }
    return library;
}

static void *symbol(void *library, const char *name)
{
    return dlsym(library, name);
}

void nvfp4_shared_close(void *library)
{
    dlclose(library);
}

#endif

int nvfp4_shared_symbol(void *library, const char *name, const char *older, void *pointer,
                        size_t size)
{
    void *address = symbol(library, name);

    if (address == NULL && older[0] != '\0')
        address = symbol(library, older);
    memcpy(pointer, &address, size < sizeof address ? size : sizeof address);
    return address != NULL;
}
