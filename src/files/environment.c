/* SPDX-License-Identifier: Apache-2.0 */
/* The two environment variables that the library knows, and only when it is asked for them. */
#if defined(__linux__)
#define _GNU_SOURCE /* secure_getenv() */
#endif
#include "files/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
#include <unistd.h>
#endif

#include "files/nearest.h"

const char *nvfp4_environment(const char *variable)
{
#if defined(__linux__)
    const char *const value = secure_getenv(variable);
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
    const char *const value = issetugid() ? NULL : getenv(variable);
#else
    const char *const value = getenv(variable);
#endif
    return value != NULL && *value != '\0' ? value : NULL;
}

/* An error about a variable: its name stands where a file's would. */
static nvfp4_status about(const char *variable, nvfp4_status status, nvfp4_error *error)
{
    if (error != NULL && error->file[0] == '\0')
        snprintf(error->file, sizeof error->file, "%s", variable);
    return status;
}

static nvfp4_status unknown_backend(const nvfp4_policy *policy, const char *word,
                                    nvfp4_error *error)
{
    nvfp4_nearest search;
    const char *known;
    if (error == NULL)
        return NVFP4_EUNKNOWN;
    nvfp4_nearest_begin(&search, word);
    nvfp4_nearest_offer(&search, "auto");
    for (size_t i = 0; (known = nvfp4_policy_user_name_at(policy, i)) != NULL; i++)
        nvfp4_nearest_offer(&search, known);
    memset(error, 0, sizeof *error);
    error->status = NVFP4_EUNKNOWN;
    if (search.best != NULL)
        snprintf(error->message, sizeof error->message,
                 "policy %.64s knows no backend '%.40s'; did you mean '%s'?",
                 nvfp4_policy_name(policy), word, search.best);
    else
        snprintf(error->message, sizeof error->message, "policy %.64s knows no backend '%.40s'",
                 nvfp4_policy_name(policy), word);
    return NVFP4_EUNKNOWN;
}

nvfp4_status nvfp4_policy_from_environment(const nvfp4_policy **policy, nvfp4_backend *backend,
                                           nvfp4_error *error)
{
    const nvfp4_policy *found = NULL;
    nvfp4_backend asked = NVFP4_BACKEND_NONE;
    if (policy == NULL || backend == NULL)
        return NVFP4_EINVAL;
    const char *const name = nvfp4_environment("NVFP4_POLICY");
    const char *const word = nvfp4_environment("NVFP4_BACKEND");
    nvfp4_status status = NVFP4_OK;
    if (name != NULL)
        status = nvfp4_policy_find(name, &found, error);
    if (status != NVFP4_OK)
        return about("NVFP4_POLICY", status, error);
    if (word != NULL && nvfp4_policy_find_backend(found, word, &asked) != NVFP4_OK) {
        status = unknown_backend(found, word, error);
        nvfp4_policy_free(found);
        return about("NVFP4_BACKEND", status, error);
    }
    *policy = found;
    *backend = asked;
    return NVFP4_OK;
}
