/* trip kill|fail|count N COMMAND...: runs a command and trips it at its Nth system call.
 *
 * kill   the process dies by SIGKILL before the call is made
 * fail   the call is not made and gives ENOSPC; only calls that change files are counted
 * count  nothing happens; the number of calls goes to the file that TRIP_COUNT names
 *
 * All threads and children are followed; calls are numbered across them. */
#include <errno.h>
#include <fcntl.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static long trace(int request, pid_t pid, unsigned long address, unsigned long data) {
  return syscall(SYS_ptrace, request, pid, address, data);
}

static int changes_files(const struct ptrace_syscall_info *info) {
  switch (info->entry.nr) {
  case SYS_write: case SYS_pwrite64: case SYS_writev: case SYS_fsync: case SYS_fdatasync:
  case SYS_ftruncate: case SYS_fchmod: case SYS_fchown: case SYS_mkdirat: case SYS_unlinkat:
  case SYS_renameat: case SYS_renameat2: case SYS_flock: case SYS_copy_file_range:
#ifdef __x86_64__
  case SYS_rename: case SYS_unlink: case SYS_mkdir: case SYS_chmod:
#endif
    return 1;
  case SYS_openat:
    return (info->entry.args[2] & O_CREAT) != 0;
  default:
    return 0;
  }
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  int fails = strcmp(argv[1], "fail") == 0, kills = strcmp(argv[1], "kill") == 0;
  long wanted = atol(argv[2]), count = 0;
  pid_t child = fork(), failing = 0;
  if (child == 0) {
    trace(PTRACE_TRACEME, 0, 0, 0);
    execvp(argv[3], argv + 3);
    _exit(127);
  }
  int status, result = 0;
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return 3;
  unsigned long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
  if (trace(PTRACE_SETOPTIONS, child, 0, options) != 0) return 3;
  trace(PTRACE_SYSCALL, child, 0, 0);
  for (;;) {
    pid_t pid = waitpid(-1, &status, __WALL);
    if (pid < 0) break;
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (pid == child) result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      continue;
    }
    int signal = WSTOPSIG(status), deliver = 0;
    if (signal == (SIGTRAP | 0x80)) {
      struct ptrace_syscall_info info;
      memset(&info, 0, sizeof info);
      trace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, (unsigned long)&info);
      if (info.op == PTRACE_SYSCALL_INFO_ENTRY && (!fails || changes_files(&info))) {
        count++;
        if (kills && count == wanted) {
          kill(child, SIGKILL);
          continue;
        }
#ifdef __x86_64__
        if (fails && count == wanted) {
          trace(PTRACE_POKEUSR, pid, offsetof(struct user, regs.orig_rax), (unsigned long)-1L);
          failing = pid;
        }
      } else if (info.op == PTRACE_SYSCALL_INFO_EXIT && failing == pid) {
        trace(PTRACE_POKEUSR, pid, offsetof(struct user, regs.rax), (unsigned long)-(long)ENOSPC);
        failing = 0;
#endif
      }
    } else if (signal != SIGTRAP && signal != SIGSTOP) {
      deliver = signal;
    }
    trace(PTRACE_SYSCALL, pid, 0, deliver);
  }
  const char *path = getenv("TRIP_COUNT");
  FILE *out = path ? fopen(path, "w") : NULL;
  if (out) {
    fprintf(out, "%ld\n", count);
    fclose(out);
  }
  return result;
}
