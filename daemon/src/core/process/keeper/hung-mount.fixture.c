/* hung-mount DIRECTORY: mounts a file system that never answers there, and says so; ends with its stdin. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

int main(int count, char **arguments)
{
  char options[64], byte;
  int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fuse);
  if (count != 2 || fuse < 0 || mount("hung", arguments[1], "fuse", 0, options) < 0) {
    perror("hung-mount");
    return 1;
  }
  puts("mounted");
  fflush(stdout);
  while (read(0, &byte, 1) > 0)
    continue;
  umount2(arguments[1], MNT_DETACH);
  return 0;
}
