/* Frames of messages, as editors exchange them with language servers and debug adapters: lines of
 * a header, of which "Content-Length: N" counts, an empty line, and N bytes.  What the bytes say is
 * nobody's business here.  Lines end with CR LF; LF alone is taken as well. */
#ifndef PTO_FRAME_H
#define PTO_FRAME_H

#include <stdbool.h>

#include "arena.h"

enum {
    PTO_FRAME_HEADER = 4096,   /* bytes of a header, and */
    PTO_FRAME_BYTES = 64 << 20 /* of a message, at most */
};

enum pto_frame_state {
    PTO_FRAME_WHOLE,
    PTO_FRAME_END, /* nothing comes any more, and nothing is left half */
    PTO_FRAME_BAD  /* where the next frame would begin is not known: nobody can go on reading */
};

/* Frames that come in.  All zero but for `fd` is one that has read nothing yet. */
struct pto_frames {
    int fd;
    struct pto_buf bytes; /* read so far, from the frame that was handed out last on */
    size_t taken;         /* of them by that frame */
};

/* Wait for the next frame: its bytes, with a NUL behind them that does not count, stay until the
 * next call.  PTO_FRAME_BAD sets *why to a static reason.  Memory grows with what has arrived, not
 * with what a header promises. */
enum pto_frame_state pto_frame_read(struct pto_frames *frames, const char **text, size_t *length,
                                    const char **why);
/* Would pto_frame_read find something to do now?  A frame of which the beginning has come counts,
 * and so does the end of the input. */
bool pto_frame_waits(const struct pto_frames *frames);
void pto_frames_free(struct pto_frames *frames);

/* Write one frame; false if the reader has gone (errno says how). */
bool pto_frame_write(int fd, const void *text, size_t length);

#endif
