#include "memory/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The controller of the groups, its file, and the line of that which counts. */
#ifndef KEEPER_CONTROLLER
#define KEEPER_CONTROLLER "memory"
#define KEEPER_EVENTS "memory.events"
#define KEEPER_EVENT "oom_kill "
#endif

#define PREFIX "svc-keeper-"
#define NAME_BYTES 64

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

/* The group of the keeper, of version 2 or of the memory controller; false if it has none. */
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
bool cgroup_file(bool is_v2, const char *name, char path[3 * PATH_MAX])
{
  FILE *mounts = fopen("/proc/self/mountinfo", "re");
  char line[3 * PATH_MAX], group[PATH_MAX];
  struct mount mount;
  bool found = false;
  while (!found && mounts != NULL && fgets(line, sizeof line, mounts) != NULL) {
    if (!parse_mount(line, &mount) || mount.is_v2 != is_v2 || !own_group(group, is_v2))
      continue;
    size_t shared = strcmp(mount.root, "/") == 0 ? 0 : strlen(mount.root);
    found = strncmp(group, mount.root, shared) == 0;
    if (found)
      snprintf(path, 3 * PATH_MAX, "%s%s/%s", mount.point, group + shared, name);
  }
  if (mounts != NULL)
    fclose(mounts);
  return found;
}

static int64_t count_in(int file, const char *key)
{
  char text[1024];
  ssize_t length = file < 0 ? -1 : pread(file, text, sizeof text - 1, 0);
  if (length <= 0)
    return -1;
  text[length] = '\0';
  const char *at = strstr(text, key);
  return at == NULL ? -1 : strtoll(at + strlen(key), NULL, 10);
}

int64_t cgroup_kills(int file)
{
  return count_in(file, "oom_kill ");
}

static bool contains(int directory, const char *name, const char *word)
{
  char text[1024];
  int file = openat(directory, name, O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0)
    close(file);
  if (length < 0)
    return false;
  text[length] = '\0';
  for (char *rest, *at = strtok_r(text, " \n", &rest); at != NULL; at = strtok_r(NULL, " \n", &rest))
    if (strcmp(at, word) == 0)
      return true;
  return false;
}

static bool set(int directory, const char *name, const char *value)
{
  int file = openat(directory, name, O_WRONLY | O_CLOEXEC);
  bool done = file >= 0 && write(file, value, strlen(value)) == (ssize_t)strlen(value);
  if (file >= 0)
    close(file);
  return done;
}

static bool delegate(int base)
{
  return contains(base, "cgroup.subtree_control", KEEPER_CONTROLLER) ||
         set(base, "cgroup.subtree_control", "+" KEEPER_CONTROLLER);
}

/*
 * Only a group without processes of its own may delegate a controller, but for the root: the keeper moves into a group
 * below, and back if that was not enough, because others share its group.
 */
static bool delegate_from_below(int base)
{
  char name[NAME_BYTES], members[2 * NAME_BYTES];
  snprintf(name, sizeof name, PREFIX "%d", getpid());
  snprintf(members, sizeof members, "%s/cgroup.procs", name);
  if (mkdirat(base, name, 0755) < 0)
    return false;
  if (set(base, members, "0") && delegate(base))
    return true;
  set(base, "cgroup.procs", "0");
  unlinkat(base, name, AT_REMOVEDIR);
  return false;
}

/* Removes the groups without processes; answers how many are left. */
static uint32_t sweep(int base)
{
  uint32_t left = 0;
  int copy = openat(base, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *entries = copy < 0 ? NULL : fdopendir(copy);
  if (entries == NULL)
    return 0;
  for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
    if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0)
      left += unlinkat(base, entry->d_name, AT_REMOVEDIR) < 0 && errno == EBUSY;
  closedir(entries);
  return left;
}

void command_groups_open(struct command_groups *groups)
{
  char path[3 * PATH_MAX];
  *groups = (struct command_groups){.base = -1};
  if (!cgroup_file(true, ".", path))
    return;
  int base = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (base < 0)
    return;
  groups->base = base;
  if (contains(base, "cgroup.controllers", KEEPER_CONTROLLER) && (delegate(base) || delegate_from_below(base))) {
    sweep(base);
    uint64_t probe = command_group_make(groups);
    bool counts = probe != 0 && command_group_kills(groups, probe) >= 0;
    command_group_remove(groups, probe);
    if (counts)
      return;
  }
  close(base);
  groups->base = -1;
}

static void name_of(char name[NAME_BYTES], uint64_t group, const char *suffix)
{
  snprintf(name, NAME_BYTES, PREFIX "%d-%" PRIu64 "%s", getpid(), group, suffix);
}

uint64_t command_group_make(struct command_groups *groups)
{
  char name[NAME_BYTES];
  if (groups->base < 0)
    return 0;
  name_of(name, groups->last + 1, "");
  return mkdirat(groups->base, name, 0755) < 0 ? 0 : ++groups->last;
}

int command_group_open(const struct command_groups *groups, uint64_t group)
{
  char name[NAME_BYTES];
  name_of(name, group, "");
  return group == 0 ? -1 : openat(groups->base, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int64_t command_group_kills(const struct command_groups *groups, uint64_t group)
{
  char name[NAME_BYTES];
  name_of(name, group, "/" KEEPER_EVENTS);
  int file = group == 0 ? -1 : openat(groups->base, name, O_RDONLY | O_CLOEXEC);
  int64_t count = count_in(file, KEEPER_EVENT);
  if (file >= 0)
    close(file);
  return count;
}

void command_group_remove(struct command_groups *groups, uint64_t group)
{
  char name[NAME_BYTES];
  if (group == 0)
    return;
  name_of(name, group, "");
  if (unlinkat(groups->base, name, AT_REMOVEDIR) < 0 && errno == EBUSY)
    groups->left++;
  else if (groups->left > 0)
    groups->left = sweep(groups->base);
}
