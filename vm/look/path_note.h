/* Takes down, as a machine runs, what every act waited for: see path.h. */
#ifndef PTO_LOOK_PATH_NOTE_H
#define PTO_LOOK_PATH_NOTE_H

#include "path_place.h"
#include "points.h"

struct path_note;

struct path_note *path_note_start(struct pto_vm *vm);
void path_note_free(struct path_note *note);
/* The point at the end of the run, made when it is asked for. */
uint32_t path_note_end(struct path_note *note, uint64_t time);
const struct points *path_note_points(const struct path_note *note);
/* The instruction with a number; 0 is none. */
struct pto_critical_place path_note_place(const struct path_note *note, uint32_t site);
uint32_t path_note_sites(const struct path_note *note);
/* See useful_ps of struct pto_critical_result. */
uint64_t path_note_useful(const struct path_note *note, int rank);
/* For pto_vm_observe_causes; `context`: the note. */
void path_note_observe(void *context, const struct pto_event *event);

#endif
