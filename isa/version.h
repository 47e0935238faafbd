/* The version of the project, that of CMakeLists.txt: "1.2.3". */
#ifndef PTO_VERSION_H
#define PTO_VERSION_H

const char *pto_version(void);

#endif
