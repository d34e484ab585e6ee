// SPDX-License-Identifier: BSD-3-Clause
// Shapes of switches, rendered from a table: each one imports, runs, and is lossless with marks or
// PFC, or its scenario says which setting makes that impossible.
#include "sonic_lab.h"

#include "report/report.h"
#include "vt/vt.h"

// Ports of one speed and cable.
struct range {
	unsigned n, mbps, cable_m;
	bool down; // no admin_status
};

#define UP(n, mbps, m)            \
	{                         \
		n, mbps, m, false \
	}
#define DOWN(n, mbps, m)         \
	{                        \
		n, mbps, m, true \
	}

enum { ONE_EGRESS = 1, CHASSIS = 2, DUMP = 4, NO_PFC = 8 };

struct shape {
	const char *name;
	struct range range[3];
	unsigned pool_kb, headroom_kb; // headroom pool; 0: each group has its own
	int dynamic_th;
	unsigned xoff, xon, kmin, kmax; // bytes; kmin 0: no marks
	unsigned flags;
	const char *expect; // what the scenario says; NULL: a run is lossless and not silent
};

static const struct shape shapes[] = {
	{"T0 with 100G uplinks", {UP(24, 25000, 5), UP(4, 100000, 40)}, 12000, 2000, -1, 36000,
		1248, 50000, 200000, 0, NULL},
	{"T0 whose ports are half unused", {UP(16, 100000, 5), DOWN(16, 100000, 5)}, 12000, 4000,
		-3, 97000, 2288, 250000, 1048576, 0, NULL},
	{"T1 with long cables", {UP(16, 100000, 300), UP(16, 100000, 40)}, 16000, 6000, -3, 180000,
		2288, 250000, 1048576, 0, NULL},
	{"T1 of 400G", {UP(32, 400000, 40)}, 100000, 20000, -2, 400000, 18432, 1000000, 3000000, 0,
		NULL},
	{"one egress pool, 800G", {UP(32, 800000, 5)}, 160000, 0, 0, 600000, 20000, 2000000,
		5000000, ONE_EGRESS, NULL},
	{"one egress pool, 400G and 100G", {UP(8, 400000, 5), UP(24, 100000, 5)}, 64000, 8000, -1,
		300000, 20000, 500000, 2000000, ONE_EGRESS, NULL},
	{"line card with virtual output queues", {UP(18, 400000, 300)}, 200000, 40000, -4, 900000,
		18432, 1000000, 4000000, CHASSIS, NULL},
	{"leaf with service ports of 10G", {UP(16, 200000, 5), UP(2, 10000, 5)}, 60000, 9000, -1,
		200000, 10000, 400000, 1500000, 0, NULL},
	{"switch of 10G as a dump", {UP(12, 10000, 40), UP(2, 100000, 40)}, 9000, 1000, 0, 36000,
		1248, 20000, 100000, DUMP, NULL},
	{"PFC without marks", {UP(8, 100000, 5)}, 12000, 2000, -3, 97000, 2288, 0, 0, 0, NULL},
	{"without pfc_enable", {UP(8, 100000, 5)}, 12000, 2000, -3, 97000, 2288, 0, 0, NO_PFC,
		"# A run has neither marks nor PFC: no class has PFC"},
};

// The text of a shape as a table: rows of one port each, "TABLE|row" for a dump.
struct writer {
	FILE *f;
	const struct shape *s;
	const char *table;
	bool any_table, any_row;
};

static void table_begin(struct writer *w, const char *table)
{
	if (!(w->s->flags & DUMP))
		fprintf(w->f, "%s'%s':{", w->any_table ? "," : "", table);
	w->table = table;
	w->any_row = (w->s->flags & DUMP) && w->any_table;
	w->any_table = true;
}

static void table_row(struct writer *w, const char *key, const char *fields)
{
	if ((w->s->flags & DUMP))
		fprintf(w->f, "%s'%s|%s':{'value':{%s},'type':'hash'}", w->any_row ? "," : "",
			w->table, key, fields);
	else
		fprintf(w->f, "%s'%s':{%s}", w->any_row ? "," : "", key, fields);
	w->any_row = true;
}

static void table_end(struct writer *w)
{
	if (!(w->s->flags & DUMP))
		fputc('}', w->f);
}

__attribute__((format(printf, 1, 2))) static const char *text(const char *fmt, ...)
{
	static char buf[4][1024];
	static unsigned n;
	va_list ap;

	n = (n + 1) % 4;
	va_start(ap, fmt);
	vsnprintf(buf[n], sizeof(buf[n]), fmt, ap);
	va_end(ap);
	return buf[n];
}

// A row for each port, or for each port in service; `index` "" or "|3-4".
static void port_rows(
	struct writer *w, const char *index, bool all, const char *(*fields)(const struct range *r))
{
	unsigned port = 0;

	for (unsigned k = 0; k < 3; k++) {
		const struct range *r = &w->s->range[k];

		for (unsigned i = 0; i < r->n; i++, port++) {
			bool chassis = (w->s->flags & CHASSIS) && *index;

			if (all || !r->down)
				table_row(w,
					text("%sEthernet%u%s", chassis ? "lc1|Asic0|" : "",
						port * 4, index),
					fields(r));
		}
	}
}

static const char *port_fields(const struct range *r)
{
	return text("'speed':'%u','mtu':'9100'%s", r->mbps, r->down ? "" : ",'admin_status':'up'");
}

static const char *lossless_fields(const struct range *r)
{
	(void)r;
	return "'profile':'pg_lossless'";
}

static const char *queue_fields(const struct range *r)
{
	(void)r;
	return "'profile':'q_lossless'";
}

static const char *lossy_fields(const struct range *r)
{
	(void)r;
	return "'profile':'q_lossy'";
}

static const char *marked_fields(const struct range *r)
{
	(void)r;
	return "'wred_profile':'W','scheduler':'S'";
}

static const char *map_fields(const struct range *r)
{
	(void)r;
	return "'dscp_to_tc_map':'M','pfc_enable':'3,4'";
}

static const char *map_only_fields(const struct range *r)
{
	(void)r;
	return "'dscp_to_tc_map':'M'";
}

static void write_cables(struct writer *w)
{
	char *all = NULL;
	size_t size;
	FILE *f = open_memstream(&all, &size);
	unsigned port = 0;

	for (unsigned k = 0; k < 3; k++) {
		for (unsigned i = 0; i < w->s->range[k].n; i++, port++)
			fprintf(f, "%s'Ethernet%u':'%um'", port ? "," : "", port * 4,
				w->s->range[k].cable_m);
	}
	fclose(f);
	table_begin(w, "CABLE_LENGTH");
	table_row(w, "AZURE", all);
	table_end(w);
	free(all);
}

static void write_buffers(struct writer *w)
{
	const struct shape *s = w->s;
	const char *lossy = (s->flags & ONE_EGRESS) ? "egress_lossless_pool" : "egress_lossy_pool";

	table_begin(w, "BUFFER_POOL");
	table_row(w, "ingress_lossless_pool",
		text("'type':'ingress','mode':'dynamic','size':'%u000'%s", s->pool_kb,
			s->headroom_kb ? text(",'xoff':'%u000'", s->headroom_kb) : ""));
	table_row(w, "egress_lossless_pool",
		text("'type':'egress','mode':'static','size':'%u000'",
			s->pool_kb + s->headroom_kb));
	if (!(s->flags & ONE_EGRESS))
		table_row(w, lossy,
			text("'type':'egress','mode':'dynamic','size':'%u000'", s->pool_kb));
	table_end(w);
	table_begin(w, "BUFFER_PROFILE");
	table_row(w, "pg_lossless",
		text("'pool':'ingress_lossless_pool','size':'%u','xon':'%u','xoff':'%u',"
		     "'dynamic_th':'%d'",
			s->headroom_kb ? 1248 : s->xoff + 1248, s->xon, s->xoff, s->dynamic_th));
	table_row(w, "q_lossless",
		text("'pool':'egress_lossless_pool','size':'0','static_th':'%u000'",
			s->pool_kb + s->headroom_kb));
	table_row(w, "q_lossy", text("'pool':'%s','size':'1664','dynamic_th':'1'", lossy));
	table_end(w);
	table_begin(w, "BUFFER_PG");
	port_rows(w, "|3-4", false, lossless_fields);
	table_end(w);
	table_begin(w, "BUFFER_QUEUE");
	port_rows(w, "|3-4", false, queue_fields);
	port_rows(w, "|0-2", false, lossy_fields);
	table_end(w);
}

static void write_qos(struct writer *w)
{
	const struct shape *s = w->s;

	table_begin(w, "DSCP_TO_TC_MAP");
	table_row(w, "M", "'3':'3','4':'4','8':'0','46':'5','48':'6'");
	table_end(w);
	table_begin(w, "PORT_QOS_MAP");
	port_rows(w, "", false, (s->flags & NO_PFC) ? map_only_fields : map_fields);
	table_end(w);
	if (!s->kmin)
		return;
	table_begin(w, "WRED_PROFILE");
	table_row(w, "W",
		text("'ecn':'ecn_all','wred_green_enable':'true','green_min_threshold':'%u',"
		     "'green_max_threshold':'%u','green_drop_probability':'5'",
			s->kmin, s->kmax));
	table_end(w);
	table_begin(w, "SCHEDULER");
	table_row(w, "S", "'type':'DWRR','weight':'15'");
	table_end(w);
	table_begin(w, "QUEUE");
	port_rows(w, "|3-4", false, marked_fields);
	table_end(w);
}

static char *render(const struct shape *s)
{
	char *all = NULL;
	size_t size;
	struct writer w = {.f = open_memstream(&all, &size), .s = s};

	assert_non_null(w.f);
	fputc('{', w.f);
	table_begin(&w, "DEVICE_METADATA");
	table_row(&w, "localhost", "'hostname':'lc1','hwsku':'lab'");
	table_end(&w);
	table_begin(&w, "PORT");
	port_rows(&w, "", true, port_fields);
	table_end(&w);
	write_cables(&w);
	write_buffers(&w);
	write_qos(&w);
	fputc('}', w.f);
	fclose(w.f);
	return all;
}

// Runs the scenario for a while.
static void run(const char *yaml, const char *name)
{
	struct vt_opts vo = {.record = {.no_files = true}};
	struct scene_set set = {"duration", "500us"};
	struct scene_opts so = {.set = &set, .n_set = 1};
	char path[] = "/tmp/quench-shape-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	struct report *rec = NULL;
	struct scene *s;

	assert_non_null(f);
	fputs(yaml, f);
	fclose(f);
	if (compile_scene(&s, path, &so, &lab_err) || vt_run(s, &vo, &rec, &lab_err))
		fail_msg("%s: %s", name, lab_err.text);
	unlink(path);
	if (report_value(rec, "drops") > 0)
		fail_msg("%s: %g drops", name, report_value(rec, "drops"));
	if (report_value(rec, "pauses") + report_value(rec, "marks") == 0)
		fail_msg("%s: neither marks nor PFC", name);
	report_free(rec);
	scene_free(s);
}

static void each_shape_is_lossless_or_says_why(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		char *json = render(&shapes[i]);
		struct sonic_import in;

		if (sonic_try(&in, json, NULL))
			fail_msg("%s: %s", shapes[i].name, lab_err.text);
		if (shapes[i].expect && !strstr(in.yaml, shapes[i].expect))
			fail_msg("%s: lacks '%s' in\n%.2000s", shapes[i].name, shapes[i].expect,
				in.yaml);
		if (!shapes[i].expect)
			run(in.yaml, shapes[i].name);
		sonic_free(&in);
		free(json);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_shape_is_lossless_or_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
