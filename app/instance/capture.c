// SPDX-License-Identifier: BSD-3-Clause
// quench capture: frames at ports of a running instance, as lines or as a file of pcapng.
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <jansson.h>

#include "base/tstamp.h"
#include "cap/cap.h"
#include "int.h"
#include "out/out.h"

#define TITLE   "quench capture"
#define WAIT_MS 100 // between two looks whether the user has ended it
#define PORTS   1024
#define PORT    (4 + 64 + 1) // bytes of "out s1:h3"

struct capture_args {
	const char *instance, *file; // file NULL: lines
	uint64_t count;              // 0: no end
	tstamp time;                 // 0: no end
};

struct capture {
	struct capture_args a;
	struct instance from;
	struct out out;
	struct decode *d; // of lines
	char (*port)[PORT];
	unsigned n_ports;
	uint64_t frames; // that came
	struct pcapng_counts counts;
	bool ended; // the counts have come
	uint8_t in[2 * PCAPNG_BLOCK_MOST];
	size_t n;
};

// The words of the filter as one line.
static void put_filter(FILE *f, char *const *word, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "%s%s", i ? " " : "filter ", word[i]);
	if (n)
		fputc('\n', f);
}

// The text that asks for the capture, for free(). NULL: no memory.
static char *text_of(const struct capture_args *a, char *const *word, unsigned n)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fprintf(f, "ports %s\n", word[0]);
	if (a->count)
		fprintf(f, "count %llu\n", (unsigned long long)a->count);
	if (a->time)
		fprintf(f, "for %llu\n", (unsigned long long)a->time);
	put_filter(f, word + 1, n - 1);
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}

static void take_port(struct capture *c, const struct pcapng_block *b)
{
	char name[PRINTABLE_SIZE(PCAPNG_COMMENT)];
	int width;

	if (c->n_ports == PORTS)
		return;
	printable(name, sizeof(name), b->text);
	width = 4 + snprintf(c->port[c->n_ports++], PORT, "%.64s", name);
	if (c->d && width > c->d->port_width)
		c->d->port_width = width;
}

static void show_frame(struct capture *c, const struct pcapng_block *b)
{
	const struct cap_frame f = {
		.ns = b->time, .bytes = b->bytes, .len = b->len, .wire_len = b->len};
	char port[PORT + 4] = "", comment[PRINTABLE_SIZE(PCAPNG_COMMENT)];
	struct decoded x;

	if (b->len > PKT_MAX_LEN)
		return;
	decode_next(c->d, &f, &x);
	if (b->interface < c->n_ports)
		snprintf(port, sizeof(port), "%-3s %s", b->dir == 1 ? "in" : "out",
			c->port[b->interface]);
	x.port = port;
	x.comment = *b->text ? printable(comment, sizeof(comment), b->text) : NULL;
	if (x.number == 1)
		decode_text_head(c->d, &x, &c->out);
	decode_text(c->d, &x, &c->out);
}

static void take_block(struct capture *c, const struct pcapng_block *b, const uint8_t *bytes)
{
	if (b->kind == PCAPNG_PORT)
		take_port(c, b);
	c->frames += b->kind == PCAPNG_FRAME;
	if (b->kind == PCAPNG_STATS) {
		c->ended = true;
		c->counts.seen += b->counts.seen;
		c->counts.lost += b->counts.lost;
		c->counts.accepted += b->counts.accepted;
		c->counts.unsent += b->counts.unsent;
	}
	if (c->a.file)
		out_put(&c->out, bytes, b->size);
	else if (b->kind == PCAPNG_FRAME)
		show_frame(c, b);
}

// Takes the whole blocks of the bytes that have come. -EPROTO and a line: they are no capture.
static int take_blocks(struct capture *c, struct err *err)
{
	size_t at = 0;
	int size = 0;

	for (; at < c->n; at += (size_t)size) {
		struct pcapng_block b;

		size = pcapng_read(&b, c->in + at, c->n - at);
		if (size < 0)
			return err_set(err, -EPROTO, "instance %s sends no capture", c->from.name);
		if (!size)
			break;
		take_block(c, &b, c->in + at);
	}
	c->n -= at;
	memmove(c->in, c->in + at, c->n);
	return 0;
}

// Waits for more bytes. 1: there are some; 0: the end; -EAGAIN: none have come.
static int receive(struct capture *c)
{
	struct pollfd p = {.fd = c->from.control, .events = POLLIN};
	ssize_t n;

	if (poll(&p, 1, 0) == 0) { // nothing waits: who reads along sees all that has come
		out_flush(&c->out);
		if (poll(&p, 1, WAIT_MS) <= 0)
			return -EAGAIN;
	}
	n = recv(c->from.control, c->in + c->n, sizeof(c->in) - c->n, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return -EAGAIN;
	c->n += n > 0 ? (size_t)n : 0;
	return n > 0;
}

// Receives the capture to its end. After a signal, or if the output fails, the instance is asked to
// end it, and sends the rest.
static int receive_all(struct capture *c, struct err *err)
{
	const atomic_bool *stop = stop_catch(true);
	bool asked = false;
	int got, rc = 0;

	while (!rc && (got = receive(c)) != 0) {
		if (got == 1)
			rc = take_blocks(c, err);
		if (!asked && (*stop || c->out.error)) {
			shutdown(c->from.control, SHUT_WR);
			asked = true;
		}
	}
	return rc;
}

static void tell_counts(const struct capture *c)
{
	const struct pcapng_counts *n = &c->counts;

	term_flush();
	tell_calmly("%llu frame%s captured", (unsigned long long)c->frames, plural(c->frames));
	if (!c->ended) {
		tell("instance %s (pid %llu) has gone without a last word", c->from.name,
			(unsigned long long)c->from.pid);
		return;
	}
	tell_calmly("%llu frame%s filtered out",
		(unsigned long long)(n->seen - n->lost - n->accepted),
		plural(n->seen - n->lost - n->accepted));
	tell_calmly("%llu frame%s lost, %llu of them because this reader was too slow",
		(unsigned long long)(n->lost + n->unsent), plural(n->lost + n->unsent),
		(unsigned long long)n->unsent);
}

static int open_output(struct capture *c, struct err *err)
{
	if (c->a.file && strcmp(c->a.file, "-") != 0)
		return out_open(&c->out, c->a.file, err);
	if (!c->a.file && term_folds())
		return out_stream(&c->out, stdout, "standard output", err);
	return out_adopt(&c->out, dup(STDOUT_FILENO), "standard output", err);
}

// Exit status. A reader that has gone, as `head` does, is no fault.
static int finish(struct capture *c, int rc, struct err *err)
{
	struct err why;
	bool left = c->out.error == EPIPE;
	int closed = out_close(&c->out, &why);

	if (rc)
		return tell_input(TITLE, err->text);
	if (closed && !left)
		return tell_input(TITLE, why.text);
	if (!left)
		tell_counts(c);
	return c->ended || left ? EXIT_DONE : EXIT_INPUT;
}

static int capture(struct capture *c, const char *text)
{
	const struct timeval forever = {0};
	json_t *answer;
	struct err err;
	int rc, status;

	rc = instance_control(&c->from, &answer, &err, "capture", text);
	if (rc)
		return tell_input(TITLE, err.text);
	json_decref(answer);
	setsockopt(c->from.control, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof(forever));
	rc = open_output(c, &err);
	if (rc)
		return tell_input(TITLE, err.text);
	rc = receive_all(c, &err);
	status = finish(c, rc, &err);
	return stop_status(status);
}

static int run(struct capture *c, char *const *word, unsigned n)
{
	char *text = text_of(&c->a, word, n);
	struct instance_dirs dirs;
	struct err err = {.text = "no memory"};
	int status;

	instance_dirs(&dirs);
	if (!text || instance_open(&c->from, c->a.instance, &dirs, &err)) {
		free(text);
		return tell_input(TITLE, err.text);
	}
	status = capture(c, text);
	instance_close(&c->from);
	free(text);
	return status;
}

static int capture_main(int argc, char **argv)
{
	struct capture_args a = {0};
	int at = args_read(&instance_capture, &a, argc, argv), status;
	struct capture *c;

	if (at <= 0)
		return at ? EXIT_INPUT : EXIT_DONE;
	c = calloc(1, sizeof(*c));
	if (c) {
		c->a = a;
		c->port = calloc(PORTS, sizeof(*c->port));
		c->d = a.file ? NULL : calloc(1, sizeof(*c->d));
	}
	if (!c || !c->port || (!a.file && !c->d)) {
		status = tell_input(TITLE, "no memory");
	} else {
		if (c->d)
			decode_init(c->d, 0);
		if (c->d && term_folds())
			term_lines();
		status = run(c, argv + at, (unsigned)(argc - at));
	}
	if (c) {
		free(c->port);
		free(c->d);
	}
	free(c);
	return status;
}

const struct args_command instance_capture = {
	.name = "capture",
	.summary = "show or write the frames at ports of a running instance",
	.about = "Captures the frames that ports of an instance receive and send while it runs on "
		 "the real clock. PORT is a port of a node (s1:h3) or a node, of which all ports "
		 "are meant; several are parted by commas. FILTER is an expression of libpcap, as "
		 "tcpdump has it (pcap-filter(7)); the instance sends the frames that it lets "
		 "pass. Each frame is shown as a line, as by quench decode, unless -w is given.\n\n"
		 "A comment of a frame says what the node decided: how many bytes it left in its "
		 "queue, that it was marked here and with which probability, that it was dropped "
		 "here and why, how long its class was paused. docs/formats.md has them all.\n\n"
		 "Ctrl-C ends it, and so does the end of the run. The last lines say how many "
		 "frames were captured, how many the filter refused, and how many were lost.",
	.options = ARGS_OPTIONS(INSTANCE_OPTION(struct capture_args),
		ARGS_ROW(.name = "write", .letter = 'w', .value = "FILE", .kind = ARGS_TEXT,
			.fill = ARGS_FILE, ARGS_AT(struct capture_args, file),
			.help = "Writes a file of pcapng with timestamps in ns; -: to standard "
				"output, for tshark -r - or tcpdump -r -."),
		ARGS_ROW(.name = "count", .letter = 'c', .value = "N", .kind = ARGS_NUMBER,
			.min = 1, ARGS_AT(struct capture_args, count),
			.help = "Ends after N frames."),
		ARGS_ROW(.name = "for", .value = "T", .kind = ARGS_TIME,
			ARGS_AT(struct capture_args, time),
			.help = "Ends after this time of the scene, as in 100ms.")),
	.operands =
		ARGS_OPERANDS({.name = "PORT"}, {.name = "FILTER", .optional = true, .many = true}),
	.wanted = "name a port, as in s1:h3, and then perhaps a filter",
	.statuses = ARGS_SIGNAL,
	.examples = ARGS_WORDS("quench run first-light --clock real --duration 10s &",
		"quench capture s1:r --count 5",
		"quench capture s1:r 'udp and ip[1] & 3 = 3' -w marked.pcapng --for 1ms",
		"quench capture s1 ether proto 0x8808 --for 10ms"),
	.run = capture_main,
};
