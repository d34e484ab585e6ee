// SPDX-License-Identifier: BSD-3-Clause
// Links between two parts: the node at one end has sent the frames that the node at the other end
// received, but for frames that were on their way when the run ended.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "int.h"

// A port's name is NODE:PEER, or NODE:PEER.2 for a second link.
static const char *peer_node(const char *port, size_t *len)
{
	const char *peer = strchr(port, ':');

	peer = peer ? peer + 1 : "";
	*len = strcspn(peer, ".");
	return peer;
}

unsigned cut_owner(const struct merge *m, const char *port, bool peer)
{
	size_t len = strcspn(port, ":");
	const char *node = peer ? peer_node(port, &len) : port;
	const json_t *at = json_object_getn(m->place, node, len);

	return at ? m->owner[json_integer_value(at)] : MERGE_PARTS;
}

// The device of the other end; NULL: that part has none, or it is not another part.
static const json_t *far_device(const struct merge *m, const char *port)
{
	unsigned near = cut_owner(m, port, false), far = cut_owner(m, port, true);
	const json_t *list, *d;
	char want[256];
	size_t len, i;
	const char *peer = peer_node(port, &len);

	if (near >= m->n || far >= m->n || near == far)
		return NULL;
	snprintf(want, sizeof(want), "%.*s:%.*s%s", (int)len, peer, (int)strcspn(port, ":"), port,
		peer + len);
	list = json_object_get(m->part[far].summary, "devices");
	json_array_foreach(list, i, d) if (!strcmp(saved_text(d, "port"), want)) return d;
	return NULL;
}

// Whether a part still had something to send when it ended: its drain was too short.
static bool was_sending(const struct part *p)
{
	const json_t *queues = json_object_get(p->summary, "queues"), *q;
	size_t i;

	json_array_foreach(queues, i, q) if (saved_number(q, "length_bytes") > 0) return true;
	return saved_number(json_object_get(p->summary, "total"), "unfinished_qps") > 0;
}

// Returns whether every part ended as planned: not interrupted, after a drain, and with nothing
// left to send. Otherwise frames may have been on their way at the end, so that missing frames are
// no fault.
static bool ended_alike(const struct merge *m)
{
	for (unsigned i = 0; i < m->n; i++) {
		const json_t *made = m->part[i].manifest;
		const json_t *resolved = json_object_get(made, "resolved");
		const char *drain = saved_text(resolved, "drain");

		if (json_is_true(json_object_get(made, "interrupted")) ||
			json_object_get(made, "crash") || json_object_get(made, "link_loss") ||
			!(*drain > '0' && *drain <= '9') || was_sending(&m->part[i]))
			return false;
	}
	return true;
}

// The frames that the node has sent by a device, from the part's own reconciliation. A replay has
// no such row, nor has a port that sent nothing. The driver's counters do not always outlive the
// peer.
static double sent_by(const struct merge *m, const json_t *device)
{
	const char *port = saved_text(device, "port");
	unsigned owner = cut_owner(m, port, false);
	const json_t *rows = NULL, *row;
	size_t i;

	if (owner < m->n)
		rows = json_object_get(m->part[owner].summary, "reconciliation");
	json_array_foreach(rows, i,
		row) if (!strcmp(saved_text(row, "counter"), "device_tx") &&
			 !strcmp(saved_text(row, "object"), port)) return saved_number(row, "sent");
	return saved_number(device, "tx_frames");
}

static double known(double v)
{
	return isnan(v) ? 0 : v;
}

static const json_t *instrument(const struct merge *m, const char *port)
{
	unsigned owner = cut_owner(m, port, false);

	return owner < m->n ? json_object_get(m->part[owner].summary, "instrument") : NULL;
}

struct way {
	double sent, received, on_way, late;
	const char *verdict;
};

// Judges the frames from one device to the other. An XON that a part sends after its end comes too
// late for the counters of one end, or of both.
static void judge_way(struct way *w, const struct merge *m, const json_t *from, const json_t *to)
{
	double missing;

	w->sent = sent_by(m, from);
	w->received = saved_number(to, "rx_frames");
	w->on_way = known(saved_number(to, "unread")) + known(saved_number(from, "unsent"));
	w->late = known(saved_number(instrument(m, saved_text(from, "port")), "xon_at_end"));
	missing = w->sent - w->received - w->on_way;
	if (isnan(missing))
		w->verdict = "INVALID";
	else if (fabs(missing) <= w->late)
		w->verdict = "PASS";
	else
		w->verdict = missing < 0 || ended_alike(m) ? "FAIL" : "INVALID";
}

static json_t *number_or_null(double v)
{
	return isfinite(v) ? json_integer(llround(v)) : json_null();
}

// A row of the reconciliation, as a link within one process has it.
static int add_frames_row(json_t *rows, const struct way *w, const char *port)
{
	json_t *o = json_object();
	int rc = !o;

	rc |= json_object_set_new(o, "counter", json_string("frames"));
	rc |= json_object_set_new(o, "object", json_string(port));
	rc |= json_object_set_new(o, "priority", json_null());
	rc |= json_object_set_new(o, "truth", number_or_null(w->sent));
	rc |= json_object_set_new(o, "sent", number_or_null(w->sent));
	rc |= json_object_set_new(o, "received", number_or_null(w->received));
	rc |= json_object_set_new(o, "delta", number_or_null(w->received - w->sent));
	rc |= json_object_set_new(o, "tolerance", number_or_null(w->on_way + w->late));
	rc |= json_object_set_new(o, "verdict", json_string(w->verdict));
	rc |= json_object_set_new(
		o, "stuck", json_boolean(w->sent > w->on_way + w->late && w->received == 0));
	return json_array_append_new(rows, o) || rc ? -ENOMEM : 0;
}

static int add_criterion(json_t *list, const struct way *w, const char *port)
{
	json_t *o = json_object();
	char name[256];
	int rc = !o;

	snprintf(name, sizeof(name), "cut link %s", port);
	rc |= json_object_set_new(o, "name", json_string(name));
	rc |= json_object_set_new(o, "figure", json_string(""));
	rc |= json_object_set_new(o, "min", number_or_null(w->sent - w->on_way - w->late));
	rc |= json_object_set_new(o, "max", number_or_null(w->sent - w->on_way + w->late));
	rc |= json_object_set_new(o, "value", number_or_null(w->received));
	rc |= json_object_set_new(o, "verdict", json_string(w->verdict));
	return json_array_append_new(list, o) || rc ? -ENOMEM : 0;
}

int cut_links(const struct merge *m, json_t *rows, json_t *criteria)
{
	int rc = 0;

	for (unsigned p = 0; !rc && p < m->n; p++) {
		const json_t *list = json_object_get(m->part[p].summary, "devices"), *d;
		size_t i;

		json_array_foreach(list, i, d)
		{
			const char *port = saved_text(d, "port");
			unsigned far = cut_owner(m, port, true);
			struct way w;

			if (rc || far == p || far >= m->n) // the latter: to an external host
				continue;
			judge_way(&w, m, d, far_device(m, port));
			rc = add_frames_row(rows, &w, port) || add_criterion(criteria, &w, port);
		}
	}
	return rc ? -ENOMEM : 0;
}
