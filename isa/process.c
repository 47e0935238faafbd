#include "process.h"

#include <signal.h>

void pto_process_begin(void)
{
    signal(SIGXFSZ, SIG_IGN);
}
