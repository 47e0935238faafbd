#include "frame.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- headers ---- */

/* What a header says. */
struct header {
    size_t size;  /* with its empty line */
    size_t bytes; /* of the message */
    bool counted; /* the length was there */
};

/* A length in decimal digits and blanks around them, nothing else. */
static const char *take_length(const char *text, const char *end, struct header *header)
{
    size_t value = 0;
    bool any = false;

    if (header->counted)
        return "the header has two Content-Length";
    while (text < end && (*text == ' ' || *text == '\t'))
        text++;
    for (; text < end && isdigit((unsigned char)*text); text++, any = true) {
        value = 10 * value + (size_t)(*text - '0');
        if (value > PTO_FRAME_BYTES)
            return "Content-Length is above 64 MiB";
    }
    while (text < end && (*text == ' ' || *text == '\t' || *text == '\r'))
        text++;
    if (!any || text < end)
        return "Content-Length is not a number";
    header->bytes = value;
    header->counted = true;
    return NULL;
}

/* A line of a header without its line feed; NULL: good. */
static const char *take_line(const char *line, const char *end, struct header *header)
{
    static const char name[] = "Content-Length";
    const char *colon = memchr(line, ':', (size_t)(end - line));

    if (!colon || colon == line)
        return "a line of the header is not 'Name: value'";
    for (const char *c = line; c < colon; c++)
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '_')
            return "a line of the header is not 'Name: value'";
    if ((size_t)(colon - line) == sizeof name - 1 && !strncasecmp(line, name, sizeof name - 1))
        return take_length(colon + 1, end, header);
    return NULL;
}

/* Read the header at `text`; its size is 0 as long as its end has not come.  NULL: good. */
static const char *take_header(const char *text, size_t length, struct header *header)
{
    const char *line = text, *end, *feed, *why;

    *header = (struct header){0};
    if (length == 0)
        return NULL;
    end = text + (length < PTO_FRAME_HEADER ? length : PTO_FRAME_HEADER);
    while ((feed = memchr(line, '\n', (size_t)(end - line)))) {
        if (feed == line || (feed == line + 1 && *line == '\r')) {
            header->size = (size_t)(feed + 1 - text);
            return header->counted ? NULL : "the header has no Content-Length";
        }
        why = take_line(line, feed, header);
        if (why)
            return why;
        line = feed + 1;
    }
    return length >= PTO_FRAME_HEADER ? "the header has no end" : NULL;
}

/* ---- reading ---- */

/* Wait for more bytes; 0 at the end of the input, -1 if it cannot be read. */
static ssize_t fill(struct pto_frames *frames)
{
    enum { CHUNK = 64 << 10 };
    uint8_t *room = pto_buf_room(&frames->bytes, CHUNK);
    ssize_t got;

    do
        got = read(frames->fd, room, CHUNK);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        frames->bytes.size += (size_t)got;
    return got;
}

static void drop_taken(struct pto_frames *frames)
{
    size_t left = frames->bytes.size - frames->taken;

    if (frames->taken == 0)
        return;
    memmove(frames->bytes.data, frames->bytes.data + frames->taken, left);
    frames->bytes.size = left;
    frames->taken = 0;
}

/* Hand out what follows the header.  The byte behind it may belong to the next frame: so the
 * message moves over its header, which makes room for the NUL. */
static const char *hand_out(struct pto_frames *frames, const struct header *header)
{
    char *text = (char *)frames->bytes.data;

    memmove(text, text + header->size, header->bytes);
    text[header->bytes] = '\0';
    frames->taken = header->size + header->bytes;
    return text;
}

enum pto_frame_state pto_frame_read(struct pto_frames *frames, const char **text, size_t *length,
                                    const char **why)
{
    struct header header;
    ssize_t got;

    drop_taken(frames);
    for (;;) {
        *why = take_header((const char *)frames->bytes.data, frames->bytes.size, &header);
        if (*why)
            return PTO_FRAME_BAD;
        if (header.size > 0 && frames->bytes.size >= header.size + header.bytes)
            break;
        got = fill(frames);
        if (got == 0 && frames->bytes.size == 0)
            return PTO_FRAME_END;
        if (got <= 0) {
            *why = got < 0 ? strerror(errno) : "the input ends within a message";
            return PTO_FRAME_BAD;
        }
    }
    *text = hand_out(frames, &header);
    *length = header.bytes;
    return PTO_FRAME_WHOLE;
}

bool pto_frame_waits(const struct pto_frames *frames)
{
    struct pollfd input = {.fd = frames->fd, .events = POLLIN};

    return frames->bytes.size > frames->taken || poll(&input, 1, 0) > 0;
}

void pto_frames_free(struct pto_frames *frames)
{
    pto_buf_free(&frames->bytes);
    frames->taken = 0;
}

/* ---- writing ---- */

static bool write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t done = write(fd, data, size);

        if (done < 0 && errno != EINTR)
            return false;
        if (done > 0) {
            data += done;
            size -= (size_t)done;
        }
    }
    return true;
}

bool pto_frame_write(int fd, const void *text, size_t length)
{
    char header[64];
    int size = snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", length);

    return write_all(fd, header, (size_t)size) && write_all(fd, text, length);
}
