#include "process.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* A closed stream would be the number of the next file that is opened, and what is meant for the
 * stream would go into that file.  What stands in its place fails as a closed one does. */
static void keep_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
}

void pto_process_begin(void)
{
    signal(SIGXFSZ, SIG_IGN);
    keep_streams();
}
