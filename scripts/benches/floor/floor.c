// The least that a task can cost: eleven small processes in a pipe with the same effects as ours, and no judgement.
//
// usage: floor TASKS, in a folder with PLAN.md. For each task eleven processes start, each a copy of this program, and pass
// a line on. One runs `echo N >> made` by a shell, one `grep -qx N made`; three records are appended to a ledger and
// synced; the file that was made is synced; the plan is written anew, synced, renamed, and its folder synced.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STAGES = 11, WORKER = 3, GATE = 4, TICK = 8 };

static void shell(const char *line) {
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", line, (char *)0);
        _exit(127);
    }
    waitpid(child, 0, 0);
}

static void synced(const char *name, int flags, const char *bytes, size_t size) {
    int file = open(name, flags, 0644);
    if (file < 0 || (size > 0 && write(file, bytes, size) != (ssize_t)size) || fsync(file) < 0) {
        perror(name);
        exit(1);
    }
    close(file);
}

static void record(const char *line) {
    synced("ledger", O_WRONLY | O_APPEND | O_CREAT, line, strlen(line));
}

static void tick(void) {
    struct stat about;
    int file = open("PLAN.md", O_RDONLY);
    if (file < 0 || fstat(file, &about) < 0) {
        exit(1);
    }
    char *bytes = malloc((size_t)about.st_size);
    ssize_t size = read(file, bytes, (size_t)about.st_size);
    close(file);
    synced("PLAN.new", O_WRONLY | O_CREAT | O_TRUNC, bytes, size < 0 ? 0 : (size_t)size);
    rename("PLAN.new", "PLAN.md");
    synced(".", O_RDONLY, "", 0);
}

static int stage(int number, const char *task) {
    char line[4096], command[64];
    if (!fgets(line, sizeof line, stdin)) {
        return 1;
    }
    if (number == WORKER) {
        record(line);
        snprintf(command, sizeof command, "echo %s >> made", task);
        shell(command);
        synced("made", O_RDONLY, "", 0);
        record(line);
    } else if (number == GATE) {
        snprintf(command, sizeof command, "grep -qx %s made", task);
        shell(command);
    } else if (number == TICK) {
        record(line);
        tick();
    }
    fputs(line, stdout);
    return 0;
}

static void round_of(const char *self, int task) {
    char name[16], number[16], order[1024];
    snprintf(name, sizeof name, "%d", task);
    memset(order, 'x', sizeof order);
    order[sizeof order - 2] = '\n';
    order[sizeof order - 1] = 0;
    int from[2], to[2];
    if (pipe(from) < 0 || write(from[1], order, strlen(order)) < 0) {
        exit(1);
    }
    close(from[1]);
    for (int i = 0; i < STAGES; i++) {
        if (pipe(to) < 0) {
            exit(1);
        }
        if (fork() == 0) {
            dup2(from[0], 0);
            dup2(to[1], 1);
            close(to[0]);
            snprintf(number, sizeof number, "%d", i);
            execl(self, self, "stage", number, name, (char *)0);
            _exit(127);
        }
        close(from[0]);
        close(to[1]);
        from[0] = to[0];
    }
    while (read(from[0], order, sizeof order) > 0) {
    }
    close(from[0]);
    while (wait(0) > 0) {
    }
}

int main(int count, char **words) {
    if (count == 4) {
        return stage(atoi(words[2]), words[3]);
    }
    for (int task = 1; count == 2 && task <= atoi(words[1]); task++) {
        round_of(words[0], task);
    }
    return count == 2 ? 0 : 2;
}
