/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A helper that fails leaves no test to go on with. */
static void must(int done, const char *what)
{
    if (done)
        return;
    perror(what);
    abort();
}

static FILE *temporary(const char *text, size_t length)
{
    FILE *const file = tmpfile();
    must(file != NULL, "tmpfile");
    must(fwrite(text, 1, length, file) == length && fflush(file) == 0, "fwrite");
    rewind(file);
    return file;
}

static char *contents(FILE *file, size_t *length)
{
    must(fseek(file, 0, SEEK_END) == 0, "fseek");
    const long size = ftell(file);
    char *const text = malloc((size_t)size + 1);
    must(text != NULL, "malloc");
    rewind(file);
    *length = fread(text, 1, (size_t)size, file);
    text[*length] = '\0';
    fclose(file);
    return text;
}

/* In, out and err become the tool's 0, 1, 2. */
static void spawn(struct run *run, const char *const *args, const char *const *env, int in, int out,
                  int err)
{
    static char tool[] = NVFP4_TOOL;
    char *argv[32] = { tool };
    char *environment[16] = { NULL };
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status, count = 1, set = 0;
    for (; args[count - 1] != NULL; count++)
        argv[count] = (char *)(size_t)args[count - 1];
    for (; env != NULL && env[set] != NULL; set++)
        environment[set] = (char *)(size_t)env[set];
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, 0);
    posix_spawn_file_actions_adddup2(&actions, out, 1);
    posix_spawn_file_actions_adddup2(&actions, err, 2);
    errno = posix_spawn(&child, tool, &actions, NULL, argv, environment);
    must(errno == 0, "posix_spawn");
    posix_spawn_file_actions_destroy(&actions);
    must(waitpid(child, &status, 0) == child, "waitpid");
    run->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void run_tool(struct run *run, const char *const *args, const char *const *env, const char *in,
              size_t in_length)
{
    FILE *const input = temporary(in != NULL ? in : "", in != NULL ? in_length : 0);
    FILE *const out = temporary("", 0), *const err = temporary("", 0);
    size_t length;
    spawn(run, args, env, fileno(input), fileno(out), fileno(err));
    fclose(input);
    run->out = contents(out, &run->out_length);
    run->err = contents(err, &length);
}

void run_tool_into(struct run *run, const char *const *args, const char *path)
{
    FILE *const input = temporary("", 0), *const err = temporary("", 0);
    size_t length;
    int ends[2];
    if (path != NULL) {
        ends[1] = open(path, O_WRONLY);
        must(ends[1] >= 0, path);
    } else {
        must(pipe(ends) == 0, "pipe");
        close(ends[0]);
    }
    spawn(run, args, NULL, fileno(input), ends[1], fileno(err));
    close(ends[1]);
    fclose(input);
    run->out = NULL;
    run->out_length = 0;
    run->err = contents(err, &length);
}

void free_run(struct run *run)
{
    free(run->out);
    free(run->err);
}
