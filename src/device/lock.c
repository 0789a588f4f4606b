/* SPDX-License-Identifier: Apache-2.0 */
#include "device/lock.h"

#ifdef _WIN32

#include <windows.h>

static SRWLOCK lock = SRWLOCK_INIT;

void nvfp4_lock(void)
{
    AcquireSRWLockExclusive(&lock);
}

void nvfp4_unlock(void)
{
    ReleaseSRWLockExclusive(&lock);
}

#else

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void nvfp4_lock(void)
{
    pthread_mutex_lock(&lock);
}

void nvfp4_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

#endif
