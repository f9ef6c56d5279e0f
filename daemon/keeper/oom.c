#include "oom.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Added to the score of the keeper for what it starts, so that a lack of memory ends a command, not the keeper. */
#define SCORE_ADDED 200
#define MAX_SCORE 1000

static int counter = -1;
static int usual_score;

/* A mount of control groups (proc_pid_mountinfo(5)): `root` is the group that it shows at `point`. */
struct mount {
  char root[PATH_MAX];
  char point[PATH_MAX];
  bool is_v2;
};

/* False unless the line is a mount of version 2, or of the memory controller. */
static bool parse_mount(const char *line, struct mount *mount)
{
  const char *type = strstr(line, " - ");
  if (type == NULL || sscanf(line, "%*s %*s %*s %4095s %4095s", mount->root, mount->point) != 2)
    return false;
  mount->is_v2 = strncmp(type, " - cgroup2 ", 11) == 0;
  const char *options = strrchr(type, ' ');
  return mount->is_v2 || (strncmp(type, " - cgroup ", 10) == 0 && options != NULL && strstr(options, "memory") != NULL);
}

/* The group of the keeper, of version 2 or of the memory controller; false where it has none. */
static bool own_group(char path[PATH_MAX], bool is_v2)
{
  FILE *groups = fopen("/proc/self/cgroup", "re");
  char line[PATH_MAX + 64];
  bool found = false;
  while (!found && groups != NULL && fgets(line, sizeof line, groups) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    const char *group = is_v2 ? (strncmp(line, "0::", 3) == 0 ? line + 3 : NULL) : strstr(line, ":memory:");
    if (group == NULL)
      continue;
    found = true;
    snprintf(path, PATH_MAX, "%.*s", PATH_MAX - 1, is_v2 ? group : group + 8);
  }
  if (groups != NULL)
    fclose(groups);
  return found;
}

/* In a container the mount may begin at the group itself, while the group's path is that of the host. */
static void open_counter(const struct mount *mount)
{
  char group[PATH_MAX], path[3 * PATH_MAX];
  if (!own_group(group, mount->is_v2))
    return;
  size_t shared = strcmp(mount->root, "/") == 0 ? 0 : strlen(mount->root);
  if (strncmp(group, mount->root, shared) != 0)
    return;
  const char *name = mount->is_v2 ? "memory.events" : "memory.oom_control";
  snprintf(path, sizeof path, "%s%s/%s", mount->point, group + shared, name);
  counter = open(path, O_RDONLY | O_CLOEXEC);
}

static int own_score(void)
{
  char text[16] = {0};
  int file = open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC);
  if (file < 0 || read(file, text, sizeof text - 1) < 0)
    text[0] = '\0';
  if (file >= 0)
    close(file);
  return (int)strtol(text, NULL, 10);
}

void oom_set_score(pid_t pid, bool given, int score)
{
  char path[48];
  snprintf(path, sizeof path, "/proc/%d/oom_score_adj", pid);
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return;
  dprintf(file, "%d", given ? score : usual_score);
  close(file);
}

void oom_open(void)
{
  usual_score = own_score() + SCORE_ADDED;
  if (usual_score > MAX_SCORE)
    usual_score = MAX_SCORE;
  FILE *mounts = fopen("/proc/self/mountinfo", "re");
  char line[3 * PATH_MAX];
  struct mount mount;
  while (counter < 0 && mounts != NULL && fgets(line, sizeof line, mounts) != NULL)
    if (parse_mount(line, &mount))
      open_counter(&mount);
  if (mounts != NULL)
    fclose(mounts);
}

int64_t oom_kills(void)
{
  char text[1024];
  ssize_t length = counter < 0 ? -1 : pread(counter, text, sizeof text - 1, 0);
  if (length <= 0)
    return -1;
  text[length] = '\0';
  const char *at = strstr(text, "oom_kill ");
  return at == NULL ? -1 : strtoll(at + strlen("oom_kill "), NULL, 10);
}

uint8_t oom_killed(int64_t before, bool candidate)
{
  int64_t now = before < 0 ? -1 : oom_kills();
  if (now < 0)
    return 2;
  return candidate && now > before;
}
