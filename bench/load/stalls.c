// Tells when a processor did not run what should have run. On each processor that the program may use, a thread of the highest
// real-time priority (sched(7)) sleeps for a millisecond and looks how late it woke. No other thread can delay it, so a
// late waking is time that the machine under this one took, or that the kernel spent where it cannot be interrupted.
//
// Usage: stalls LEAST_MICROSECONDS. Writes `ready`, and at the end of its input a line for each stall: the processor, then its
// begin and its end in nanoseconds of CLOCK_MONOTONIC. Exit code 3: the system does not allow real time.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { sleep_ns = 1000000, most_stalls = 65536 };

struct stall {
  int64_t begin, end;
};

struct watch {
  int processor;
  int count;
  struct stall stalls[most_stalls];
};

static int64_t least_ns;
static volatile int is_over;

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void *look(void *given) {
  struct watch *watch = given;
  while (!is_over) {
    const int64_t due = now_ns() + sleep_ns;
    const struct timespec until = {due / 1000000000, due % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    const int64_t woke = now_ns();
    if (woke - due >= least_ns && watch->count < most_stalls) watch->stalls[watch->count++] = (struct stall){due, woke};
  }
  return NULL;
}

int main(int argc, char **argv) {
  least_ns = (argc > 1 ? atoll(argv[1]) : 1000) * 1000;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  static struct watch *watches[CPU_SETSIZE];
  static pthread_t threads[CPU_SETSIZE];
  int count = 0;
  for (int processor = 0; processor < CPU_SETSIZE; processor++) {
    if (!CPU_ISSET(processor, &allowed)) continue;
    struct watch *watch = malloc(sizeof *watch);
    if (watch == NULL) return 1;
    // Written once, or its first stall would be a page fault.
    memset(watch, 0, sizeof *watch);
    watch->processor = processor;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(processor, &own);
    pthread_attr_setaffinity_np(&attributes, sizeof own, &own);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    const struct sched_param highest = {sched_get_priority_max(SCHED_FIFO)};
    pthread_attr_setschedparam(&attributes, &highest);
    if (pthread_create(&threads[count], &attributes, look, watch) != 0) return 3;
    watches[count++] = watch;
  }
  puts("ready");
  fflush(stdout);
  char octet;
  while (read(0, &octet, 1) > 0) continue;
  is_over = 1;
  for (int at = 0; at < count; at++) {
    pthread_join(threads[at], NULL);
    for (int stall = 0; stall < watches[at]->count; stall++)
      printf("%d %lld %lld\n", watches[at]->processor, (long long)watches[at]->stalls[stall].begin,
             (long long)watches[at]->stalls[stall].end);
  }
  return 0;
}
