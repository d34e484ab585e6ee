// SPDX-License-Identifier: BSD-3-Clause
// A program on librdmacm, which the field tests run on soft-RoCE: a listener that says what comes,
// and a client that sends to one.
//
//   rdma_peer server ADDRESS PORT [KEY=NUMBER...]
//   rdma_peer send|write|read ADDRESS PORT [KEY=NUMBER...]
//
// Who accepts gives 16 bytes of private data in network order: the address of a region that may be
// written and read (8 bytes), its R_Key (4) and its length in bytes (4). Each end prints a line of
// JSON for each event; the last one, "counters", has the device's hardware counters. The client
// works on slices of `size` bytes of the region, one behind the other and from the start again, and
// on the same ones of its own region. The CRC-32 is zlib's: of all SENDs in order (`crc`), or of
// the whole region (`region_crc`), which is the same at both ends when WRITEs or READs have covered
// it. Exit status: 0 all is well, 1 something failed, 2 the command line is wrong.
#include <arpa/inet.h>
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <netdb.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

// The keys of the command line, with their defaults and meanings.
#define KEYS(X)                                                                            \
	X(region, 65536)  /* bytes of the region */                                        \
	X(size, 4096)     /* bytes of a message; the server takes SENDs up to it */        \
	X(count, 1000)    /* client: messages */                                           \
	X(window, 16)     /* client: messages that wait for completion at most */          \
	X(imm, 0)         /* client: 1 sends SEND or WRITE with the message's number */    \
	X(wrong_rkey, 0)  /* client: 1 uses another R_Key than it was given */             \
	X(receives, 64)   /* server: receive buffers of a connection */                    \
	X(connections, 1) /* server: it ends after so many */                              \
	X(reject, 0)      /* server: 1 rejects them instead */                             \
	X(reads, 4)       /* client: responder resources and initiator depth of the REQ */ \
	X(retry_count, 7) /* client: of the REQ */                                         \
	X(rnr_retry, 7)   /* client: of the REQ; the server has it in its REP, too */      \
	X(tos, 106)       /* client: traffic class; 106 is DSCP 26 and ECT(0) */           \
	X(seconds, 120)   /* it gives up after so many */

#define FIELD(name, value) unsigned long name;
#define VALUE(name, value) .name = value,
#define NAME(name, value)  {#name, &o.name},
static struct {
	KEYS(FIELD)
} o = {KEYS(VALUE)};

// The private data of who accepts, in network order.
struct greeting {
	uint64_t va;
	uint32_t rkey, length;
};

struct conn {
	struct rdma_cm_id *id;
	char *buf;
	struct ibv_mr *buf_mr;
	unsigned number;
	uLong crc; // of all SENDs
	unsigned long messages, bytes;
};

static struct ibv_pd *pd;
static struct ibv_comp_channel *comp;
static struct ibv_cq *cq;
static struct ibv_mr *region;
static unsigned long region_bytes;
static volatile sig_atomic_t stopped;
static bool failed;

static void stop(int signal)
{
	stopped = signal;
}

static void say(const char *event, const char *format, ...)
{
	va_list args;

	printf("{\"event\": \"%s\"", event);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("}\n");
}

static void fail(const char *what)
{
	say("failed", ", \"what\": \"%s\", \"why\": \"%s\"", what,
		stopped ? "stopped, or too long" : strerror(errno));
	exit(1);
}

static uLong region_crc(void)
{
	return crc32(0, region->addr, region_bytes);
}

// The memory that all connections share. A client that reads has an empty region; any other
// client's bytes differ from a server's.
static void make_region(struct ibv_context *verbs, bool empty, unsigned salt)
{
	unsigned long i;
	char *bytes;

	region_bytes = o.region > o.size ? o.region : o.size;
	bytes = calloc(1, region_bytes);
	for (i = 0; !empty && bytes && i < region_bytes; i++)
		bytes[i] = i * 131 + i / 256 * 17 + salt;
	pd = ibv_alloc_pd(verbs);
	comp = ibv_create_comp_channel(verbs);
	cq = comp ? ibv_create_cq(verbs, 4096, NULL, comp, 0) : NULL;
	if (!bytes || !pd || !cq || ibv_req_notify_cq(cq, 0))
		fail("queues");
	region = ibv_reg_mr(pd, bytes, region_bytes,
		IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	if (!region)
		fail("region");
}

static void make_qp(struct rdma_cm_id *id, unsigned sends, unsigned receives)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = IBV_QPT_RC,
		.cap = {sends, receives, 1, 1, 0},
	};

	if (rdma_create_qp(id, pd, &attr))
		fail("queue pair");
}

static void print_counters(struct ibv_context *verbs)
{
	const char *sep = ", ";
	char path[512];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/hw_counters",
		ibv_get_device_name(verbs->device));
	dir = opendir(path);
	printf("{\"event\": \"counters\"");
	while (dir && (e = readdir(dir))) {
		unsigned long value;
		char file[1024];
		FILE *f;

		snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
		f = e->d_name[0] == '.' ? NULL : fopen(file, "r");
		if (f && fscanf(f, "%lu", &value) == 1)
			printf("%s\"%s\": %lu", sep, e->d_name, value);
		if (f)
			fclose(f);
	}
	printf("}\n");
}

static void post_receive(struct conn *c, unsigned slot)
{
	struct ibv_sge sge = {(uintptr_t)c->buf + slot * o.size, o.size, c->buf_mr->lkey};
	struct ibv_recv_wr *bad, wr = {
					 .wr_id = (uintptr_t)c,
					 .sg_list = &sge,
					 .num_sge = 1,
				 };

	if (ibv_post_recv(c->id->qp, &wr, &bad))
		fail("receive");
}

static void wait_completions(void)
{
	struct ibv_cq *from;
	void *context;

	if (ibv_get_cq_event(comp, &from, &context) || ibv_req_notify_cq(from, 0))
		fail("completions");
	ibv_ack_cq_events(from, 1);
}

// Receives of a connection end in the order in which they were posted.
static void received(const struct ibv_wc *wc)
{
	struct conn *c = (struct conn *)(uintptr_t)wc->wr_id;
	unsigned slot = c->messages % o.receives;

	if (wc->status == IBV_WC_WR_FLUSH_ERR)
		return;
	if (wc->status != IBV_WC_SUCCESS) {
		say("error", ", \"connection\": %u, \"status\": \"%s\"", c->number,
			ibv_wc_status_str(wc->status));
		failed = true;
		return;
	}
	if (wc->opcode == IBV_WC_RECV)
		c->crc = crc32(c->crc, (Bytef *)c->buf + slot * o.size, wc->byte_len);
	printf("{\"event\": \"%s\", \"connection\": %u, \"bytes\": %u",
		wc->opcode == IBV_WC_RECV ? "send" : "write", c->number, wc->byte_len);
	if (wc->wc_flags & IBV_WC_WITH_IMM)
		printf(", \"imm\": %u", ntohl(wc->imm_data));
	printf("}\n");
	c->messages++;
	c->bytes += wc->byte_len;
	post_receive(c, slot);
}

static void take_completions(void)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(cq, 1, &wc) > 0)
		received(&wc);
}

// Prints the fields of a REQ, then answers it.
static void accept_conn(struct rdma_cm_event *ev, unsigned number)
{
	const struct rdma_conn_param *req = &ev->param.conn;
	struct greeting data = {
		htobe64((uintptr_t)region->addr), htonl(region->rkey), htonl(region_bytes)};
	struct rdma_conn_param param = {
		.private_data = &data,
		.private_data_len = sizeof(data),
		.responder_resources = req->responder_resources,
		.initiator_depth = req->initiator_depth,
		.rnr_retry_count = o.rnr_retry,
	};
	struct conn *c = calloc(1, sizeof(*c));
	unsigned i;

	say("request",
		", \"connection\": %u, \"qpn\": %u, \"responder_resources\": %u, "
		"\"initiator_depth\": %u, \"retry_count\": %u, \"rnr_retry\": %u",
		number, req->qp_num, req->responder_resources, req->initiator_depth,
		req->retry_count, req->rnr_retry_count);
	if (!c || !(c->buf = malloc(o.receives * o.size)))
		fail("memory");
	c->number = number;
	c->id = ev->id;
	c->id->context = c;
	c->crc = crc32(0, NULL, 0);
	c->buf_mr = ibv_reg_mr(pd, c->buf, o.receives * o.size, IBV_ACCESS_LOCAL_WRITE);
	if (!c->buf_mr)
		fail("receive buffers");
	make_qp(c->id, 1, o.receives);
	for (i = 0; i < o.receives; i++)
		post_receive(c, i);
	if (rdma_accept(c->id, &param))
		fail("accept");
}

static void end_conn(struct conn *c)
{
	rdma_disconnect(c->id);
	take_completions();
	say("disconnected",
		", \"connection\": %u, \"messages\": %lu, \"bytes\": %lu, \"crc\": %lu, "
		"\"region_crc\": %lu",
		c->number, c->messages, c->bytes, c->crc, region_crc());
	rdma_destroy_qp(c->id);
	rdma_destroy_id(c->id);
	ibv_dereg_mr(c->buf_mr);
	free(c->buf);
	free(c);
}

// Returns 1 for a connection that has ended.
static unsigned server_event(struct rdma_event_channel *channel)
{
	static unsigned requests;
	struct rdma_cm_event *ev, e;
	struct conn *c;

	if (rdma_get_cm_event(channel, &ev))
		fail("event");
	e = *ev;
	c = e.id->context;
	if (e.event == RDMA_CM_EVENT_CONNECT_REQUEST && !o.reject)
		accept_conn(ev, ++requests);
	rdma_ack_cm_event(ev);
	switch (e.event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		if (!o.reject)
			return 0;
		say("rejected", ", \"connection\": %u", ++requests);
		rdma_reject(e.id, NULL, 0);
		rdma_destroy_id(e.id);
		return 1;
	case RDMA_CM_EVENT_ESTABLISHED:
		say("connected", ", \"connection\": %u, \"qpn\": %u", c->number, c->id->qp->qp_num);
		return 0;
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
		if (e.event != RDMA_CM_EVENT_DISCONNECTED)
			say(rdma_event_str(e.event), ", \"status\": %d", e.status);
		end_conn(c);
		return 1;
	default:
		say(rdma_event_str(e.event), ", \"status\": %d", e.status);
		return 0;
	}
}

static void serve(struct rdma_cm_id *id, struct sockaddr *address)
{
	unsigned ended = 0;
	struct pollfd fd[2];

	if (rdma_bind_addr(id, address) || rdma_listen(id, 64) || !id->verbs)
		fail("listen");
	make_region(id->verbs, false, 1);
	fd[0] = (struct pollfd){id->channel->fd, POLLIN, 0};
	fd[1] = (struct pollfd){comp->fd, POLLIN, 0};
	say("listening", ", \"region_crc\": %lu", region_crc());
	while (ended < o.connections && !stopped) {
		if (poll(fd, 2, -1) < 0)
			break;
		if (fd[1].revents) {
			wait_completions();
			take_completions();
		}
		if (fd[0].revents)
			ended += server_event(id->channel);
	}
	print_counters(id->verbs);
	failed |= ended < o.connections;
}

// Waits for the next event, which must be `want`.
static struct rdma_conn_param expect_event(
	struct rdma_cm_id *id, enum rdma_cm_event_type want, void *data, size_t bytes)
{
	struct rdma_conn_param param;
	struct rdma_cm_event *ev;

	if (rdma_get_cm_event(id->channel, &ev))
		fail("event");
	if (ev->event != want) {
		say("failed", ", \"what\": \"%s\", \"status\": %d", rdma_event_str(ev->event),
			ev->status);
		exit(1);
	}
	param = ev->param.conn;
	if (bytes && param.private_data_len >= bytes)
		memcpy(data, param.private_data, bytes);
	rdma_ack_cm_event(ev);
	return param;
}

// A slice of the region for each message.
static unsigned long slice(unsigned long message)
{
	unsigned long slices = o.size ? region_bytes / o.size : 1;

	return message % slices * o.size;
}

static void post_message(
	struct rdma_cm_id *id, const char *verb, unsigned long i, uint64_t va, uint32_t rkey)
{
	struct ibv_sge sge = {(uintptr_t)region->addr + slice(i), o.size, region->lkey};
	bool sends = !strcmp(verb, "send");
	struct ibv_send_wr *bad,
		wr = {
			.sg_list = &sge,
			.num_sge = 1,
			.send_flags = IBV_SEND_SIGNALED,
			.imm_data = htonl(i),
			.wr.rdma = {va + slice(i), rkey ^ (o.wrong_rkey ? 0x55 : 0)},
		};

	if (!strcmp(verb, "read"))
		wr.opcode = IBV_WR_RDMA_READ;
	else if (o.imm)
		wr.opcode = sends ? IBV_WR_SEND_WITH_IMM : IBV_WR_RDMA_WRITE_WITH_IMM;
	else
		wr.opcode = sends ? IBV_WR_SEND : IBV_WR_RDMA_WRITE;
	if (ibv_post_send(id->qp, &wr, &bad))
		fail("send");
}

static void transfer(struct rdma_cm_id *id, const char *verb, uint64_t va, uint32_t rkey)
{
	unsigned long posted = 0, done = 0;
	uLong crc = crc32(0, NULL, 0);
	struct ibv_wc wc = {0};

	while (done < o.count && !wc.status) {
		for (; posted < o.count && posted - done < o.window; posted++)
			post_message(id, verb, posted, va, rkey);
		wait_completions();
		while (!wc.status && ibv_poll_cq(cq, 1, &wc) > 0)
			if (!wc.status)
				crc = crc32(crc, (Bytef *)region->addr + slice(done++), o.size);
	}
	if (wc.status)
		say("error", ", \"message\": %lu, \"status\": \"%s\"", done,
			ibv_wc_status_str(wc.status));
	say("done", ", \"messages\": %lu, \"bytes\": %lu, \"crc\": %lu, \"region_crc\": %lu", done,
		done * o.size, crc, region_crc());
	failed |= done < o.count;
}

static void connect_to(struct rdma_cm_id *id, struct sockaddr *address, const char *verb)
{
	struct rdma_conn_param got, param = {
					    .responder_resources = o.reads,
					    .initiator_depth = o.reads,
					    .retry_count = o.retry_count,
					    .rnr_retry_count = o.rnr_retry,
				    };
	struct greeting data = {0};
	uint8_t tos = o.tos;

	if (rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos, sizeof(tos)) ||
		rdma_resolve_addr(id, NULL, address, 2000))
		fail("address");
	expect_event(id, RDMA_CM_EVENT_ADDR_RESOLVED, NULL, 0);
	if (rdma_resolve_route(id, 2000))
		fail("route");
	expect_event(id, RDMA_CM_EVENT_ROUTE_RESOLVED, NULL, 0);
	make_region(id->verbs, !strcmp(verb, "read"), 2);
	make_qp(id, o.window, 1);
	if (rdma_connect(id, &param))
		fail("connect");
	got = expect_event(id, RDMA_CM_EVENT_ESTABLISHED, &data, sizeof(data));
	if (strcmp(verb, "send") && ntohl(data.length) < region_bytes) {
		say("failed", ", \"what\": \"the peer's region has %u bytes\"", ntohl(data.length));
		exit(1);
	}
	say("connected",
		", \"qpn\": %u, \"peer_qpn\": %u, \"va\": %lu, \"rkey\": %u, \"length\": %u, "
		"\"responder_resources\": %u, \"initiator_depth\": %u",
		id->qp->qp_num, got.qp_num, be64toh(data.va), ntohl(data.rkey), ntohl(data.length),
		got.responder_resources, got.initiator_depth);
	transfer(id, verb, be64toh(data.va), ntohl(data.rkey));
	rdma_disconnect(id);
	expect_event(id, RDMA_CM_EVENT_DISCONNECTED, NULL, 0);
	say("disconnected", "");
	print_counters(id->verbs);
}

static void usage(const char *wrong)
{
	fprintf(stderr,
		"rdma_peer: '%s' is wrong: rdma_peer server|send|write|read ADDRESS PORT "
		"[KEY=NUMBER...]\n",
		wrong);
	exit(2);
}

static void take_key(const char *arg)
{
	const struct {
		const char *name;
		unsigned long *value;
	} keys[] = {KEYS(NAME)};
	size_t i, len = strcspn(arg, "=");
	char *end;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (arg[len] && strlen(keys[i].name) == len && !strncmp(arg, keys[i].name, len)) {
			*keys[i].value = strtoul(arg + len + 1, &end, 0);
			if (end > arg + len + 1 && !*end)
				return;
		}
	usage(arg);
}

int main(int argc, char **argv)
{
	struct sigaction on_stop = {.sa_handler = stop};
	struct rdma_event_channel *channel;
	struct addrinfo *address;
	struct rdma_cm_id *id;
	int i;

	if (argc < 4)
		usage(argc > 1 ? argv[argc - 1] : "nothing");
	if (strcmp(argv[1], "server") && strcmp(argv[1], "send") && strcmp(argv[1], "write") &&
		strcmp(argv[1], "read"))
		usage(argv[1]);
	if (getaddrinfo(argv[2], argv[3], NULL, &address))
		usage(argv[2]);
	for (i = 4; i < argc; i++)
		take_key(argv[i]);
	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaction(SIGALRM, &on_stop, NULL);
	sigaction(SIGTERM, &on_stop, NULL);
	alarm(o.seconds);
	channel = rdma_create_event_channel();
	if (!channel || rdma_create_id(channel, &id, NULL, RDMA_PS_TCP))
		fail("librdmacm");
	if (!strcmp(argv[1], "server"))
		serve(id, address->ai_addr);
	else
		connect_to(id, address->ai_addr, argv[1]);
	return failed;
}
