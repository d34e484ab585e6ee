// SPDX-License-Identifier: BSD-3-Clause
// The plan of a sweep: its runs, the settings of each run, and the figures of a row.
#include "int.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schema/schema.h"

// Names as in docs/measuring.md. Of the busiest link out of a switch, its deepest queue, and the
// group of most flows.
static const struct sweep_column columns[] = {
	{"goodput_gbps", "goodput_gbps", 1, 6, "goodput", "Gb/s", 1, 2},
	{"utilization_percent", "utilization", 1, 4, "util", "%", 1, 2},
	{"jain", "jain", 1, 6, "Jain", "", 1, 4},
	{"queue_mean_bytes", "bottleneck.mean_bytes", 1, 1, "q mean", "KB", 1e3, 1},
	{"queue_p99_bytes", "bottleneck.p99_bytes", 1, 0, "q p99", "KB", 1e3, 1},
	{"queue_max_bytes", "bottleneck.max_bytes", 1, 0, "q max", "KB", 1e3, 1},
	{"pauses", "pauses", 1, 0, "pauses", "", 1, 0},
	{"pause_us", "pause_ps", 1e-6, 6, "paused", "us", 1, 1},
	{"marks", "marks", 1, 0, "marks", "", 1, 0},
	{"cnp_rx", "cnp_rx", 1, 0, "CNPs", "", 1, 0},
	{"cnm_rx", "cnm_rx", 1, 0, "CNMs", "", 1, 0},
	{"off_share_percent", "main.off_share_percent", 1, 4, "off share", "% of ms", 1, 1},
	{"t_conv_us_total", "main.t_conv_us_total", 1, 3, NULL, NULL, 1, 0},
	{"messages", "main.messages", 1, 0, NULL, NULL, 1, 0},
	{"fct_p50_us", "main.fct_p50_us", 1, 3, "FCT p50", "us", 1, 1},
	{"fct_p99_us", "main.fct_p99_us", 1, 3, "FCT p99", "us", 1, 1},
	{"drops", "drops", 1, 0, "drops", "", 1, 0},
	{"warnings", "warnings", 1, 0, NULL, NULL, 1, 0},
};

void sweep_init(struct sweep *s, const char *const *scenario, unsigned n)
{
	*s = (struct sweep){.scenario = scenario,
		.n_scenarios = n,
		.n_columns = sizeof(columns) / sizeof(columns[0])};
	memcpy(s->column, columns, sizeof(columns));
}

// The bytes of the value that begins at `text`: up to a comma that stands in no bracket, brace or
// quote.
static size_t value_length(const char *text)
{
	unsigned depth = 0;
	size_t n = 0;

	for (char quote = 0; text[n] && (text[n] != ',' || depth || quote); n++) {
		char c = text[n];

		if (quote)
			quote = c == quote ? 0 : quote;
		else if (c == '"' || c == '\'')
			quote = c;
		else if (c == '[' || c == '{')
			depth++;
		else if ((c == ']' || c == '}') && depth)
			depth--;
	}
	return n;
}

static int add_value(struct sweep_axis *a, const char *text, size_t n)
{
	char **more;

	while (n && text[0] == ' ') {
		text++;
		n--;
	}
	while (n && text[n - 1] == ' ')
		n--;
	if (!n)
		return -EINVAL;
	more = realloc(a->value, (a->n + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	a->value = more;
	a->value[a->n] = strndup(text, n);
	return a->value[a->n] ? (a->n++, 0) : -ENOMEM;
}

// Reads a range of whole numbers, "1..3", if the option is a number. False: the text is one value,
// for example a range of names or sizes.
static bool is_range(const char *path, const char *text, size_t n, uint64_t *low, uint64_t *high)
{
	const struct opt *row = opt_at(&scene_opts_scene, path);
	char word[64];

	if (!row || (row->type != OPT_UINT && row->type != OPT_INT) || n >= sizeof(word))
		return false;
	snprintf(word, sizeof(word), "%.*s", (int)n, text);
	return strstr(word, "..") && !units_parse_range(UNITS_COUNT, word, low, high);
}

// One value, or each of a range. -E2BIG: more than a sweep can have; -EDOM: it runs backwards.
static int add_values(struct sweep_axis *a, const char *text, size_t n)
{
	uint64_t low, high;
	char word[32];
	int rc = 0;

	if (!is_range(a->path, text, n, &low, &high))
		return add_value(a, text, n);
	if (low > high)
		return -EDOM;
	if (high - low >= SWEEP_RUNS)
		return -E2BIG;
	for (uint64_t v = low; v <= high && !rc; v++) {
		snprintf(word, sizeof(word), "%" PRIu64, v);
		rc = add_value(a, word, strlen(word));
	}
	return rc;
}

int sweep_vary(struct sweep *s, const char *text, struct err *err)
{
	const char *eq = strchr(text, '='), *at;
	struct sweep_axis *a = &s->axis[s->n_axes];
	int rc = 0;

	if (!eq || eq == text)
		return err_set(err, -EINVAL,
			"--vary '%s': path=a,b,c, as in --vary flows.incast.qps=1,2,4", text);
	if (s->n_axes == SWEEP_AXES)
		return err_set(err, -EINVAL, "--vary '%s': at most %d of them", text, SWEEP_AXES);
	for (unsigned i = 0; i < s->n_axes; i++)
		if (!strncmp(s->axis[i].path, text, (size_t)(eq - text)) &&
			!s->axis[i].path[eq - text])
			return err_set(err, -EINVAL,
				"--vary '%s': the path is varied twice; give it one list of values",
				text);
	a->path = strndup(text, (size_t)(eq - text));
	if (!a->path)
		return err_set(err, -ENOMEM, "out of memory");
	s->n_axes++;
	for (at = eq; !rc && (at == eq || *at); at += 1 + value_length(at + 1))
		rc = add_values(a, at + 1, value_length(at + 1));
	if (rc == -EINVAL)
		return err_set(err, rc, "--vary '%s': a value is missing beside a comma", text);
	if (rc == -EDOM)
		return err_set(err, -EINVAL,
			"--vary '%s': the range runs backwards; write the smaller end first", text);
	if (rc == -E2BIG)
		return err_set(err, rc, "--vary '%s': the range has more than %d values", text,
			SWEEP_RUNS);
	return rc ? err_set(err, rc, "out of memory") : 0;
}

int sweep_column(struct sweep *s, const char *path, struct err *err)
{
	if (s->n_columns == SWEEP_COLUMNS)
		return err_set(err, -EINVAL, "--column '%s': at most %u of them", path,
			SWEEP_COLUMNS - (unsigned)(sizeof(columns) / sizeof(columns[0])));
	s->column[s->n_columns++] = (struct sweep_column){.name = path,
		.path = path,
		.scale = 1,
		.decimals = 6,
		.head = path,
		.dim = "",
		.shown = 1,
		.shown_decimals = 3};
	s->n_own++;
	return 0;
}

bool sweep_knows(struct sweep *s, const struct scene *scene, struct err *err)
{
	bool all = true;
	struct err why;

	for (unsigned i = 0; i < s->n_columns; i++) {
		if (!sweep_is_own(s, i) || s->known[i])
			continue;
		s->known[i] = !summary_path_check(scene, s->column[i].path, &why);
		if (all && !s->known[i])
			err_set(err, -EINVAL, "--column: %s", why.text);
		all &= s->known[i];
	}
	return all;
}

int sweep_plan(struct sweep *s, struct err *err)
{
	s->n_runs = s->n_scenarios;
	for (unsigned i = 0; i < s->n_axes && s->n_runs <= SWEEP_RUNS; i++)
		s->n_runs *= s->axis[i].n;
	if (s->n_runs > SWEEP_RUNS)
		return err_set(err, -E2BIG,
			"more than %d runs; vary fewer values, or one path at a time", SWEEP_RUNS);
	s->row = calloc(s->n_runs + 1, sizeof(*s->row));
	s->suite = calloc(s->n_runs + 1, sizeof(char *));
	return s->row && s->suite ? 0 : err_set(err, -ENOMEM, "out of memory");
}

// Which value of an axis a run has.
static const char *axis_value(const struct sweep *s, unsigned run, unsigned axis)
{
	for (unsigned i = s->n_axes - 1; i > axis; i--)
		run /= s->axis[i].n;
	return s->axis[axis].value[run % s->axis[axis].n];
}

const char *sweep_pick(const struct sweep *s, unsigned run, struct scene_set *set)
{
	for (unsigned i = 0; i < s->n_axes; i++)
		set[i] = (struct scene_set){s->axis[i].path, axis_value(s, run, i)};
	return s->scenario[run / (s->n_runs / s->n_scenarios)];
}

int sweep_seed_axis(const struct sweep *s)
{
	for (unsigned i = 0; i < s->n_axes; i++)
		if (!strcmp(s->axis[i].path, "seed") && s->axis[i].n > 1)
			return (int)i;
	return -1;
}

unsigned sweep_seeds(const struct sweep *s)
{
	int axis = sweep_seed_axis(s);

	return axis < 0 ? 1 : s->axis[axis].n;
}

// How many runs are from one seed to the next.
static unsigned seed_stride(const struct sweep *s)
{
	unsigned n = 1;

	for (unsigned i = (unsigned)sweep_seed_axis(s) + 1; i < s->n_axes; i++)
		n *= s->axis[i].n;
	return n;
}

unsigned sweep_group_of(const struct sweep *s, unsigned run)
{
	unsigned stride = seed_stride(s);

	return run / (stride * sweep_seeds(s)) * stride + run % stride;
}

unsigned sweep_group_run(const struct sweep *s, unsigned group, unsigned k)
{
	unsigned stride = seed_stride(s);

	return group / stride * stride * sweep_seeds(s) + k * stride + group % stride;
}

// The words of a run, without the varied path `without`, if that is not -1.
static char *join_words(
	const struct sweep *s, unsigned run, int without, char *buf, size_t size, char between)
{
	const char *path = s->scenario[run / (s->n_runs / s->n_scenarios)];
	const char *slash = strrchr(path, '/'), *stem = slash ? slash + 1 : path;
	size_t n = strlen(stem), at;

	if (n > 5 && !strcmp(stem + n - 5, ".yaml"))
		n -= 5;
	at = (size_t)snprintf(buf, size, "%.*s", (int)n, stem);
	for (unsigned i = 0; i < s->n_axes && at < size; i++) {
		const char *dot = strrchr(s->axis[i].path, '.');

		if ((int)i == without)
			continue;
		at += (size_t)snprintf(buf + at, size - at, "%c%s=%s", between,
			dot ? dot + 1 : s->axis[i].path, axis_value(s, run, i));
	}
	return buf;
}

char *sweep_name(const struct sweep *s, unsigned run, char *buf, size_t size)
{
	return join_words(s, run, -1, buf, size, ' ');
}

char *sweep_group_name(const struct sweep *s, unsigned group, char *buf, size_t size)
{
	return join_words(s, sweep_group_run(s, group, 0), sweep_seed_axis(s), buf, size, ' ');
}

char *sweep_folder(const struct sweep *s, unsigned run, char *buf, size_t size)
{
	join_words(s, run, -1, buf, size, ',');
	for (char *p = buf; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,=-_+%",
			    *p))
			*p = '_';
	return buf;
}

// Whether a figure speaks of something that the scenario has.
static bool applies(const char *name, const struct report *rec, const struct scene *scene)
{
	bool cnp = false, cnm = false;

	for (unsigned i = 0; i < scene->n_flows; i++) {
		cnp |= rp_asks(scene->flow[i]->rp) & RP_ASKS_CNP;
		cnm |= rp_asks(scene->flow[i]->rp) & RP_ASKS_CNM;
	}
	if (!strcmp(name, "marks"))
		return report_value(rec, "ect_frames") > 0;
	if (!strcmp(name, "cnp_rx"))
		return cnp || report_value(rec, "cnp_rx") > 0;
	return strcmp(name, "cnm_rx") || cnm;
}

// Keeps whole lines, one of each kind, while there is room.
static void keep_warnings(struct sweep_row *row, const struct scene *scene)
{
	struct alike kinds = {0};
	char text[ERR_TEXT];
	size_t at = 0, n;

	row->warned[0] = 0;
	for (unsigned i = 0; i < scene->n_warnings; i++)
		if (alike_add(&kinds, scene->warning[i].kind, i))
			break;
	for (unsigned i = 0; i < kinds.n; i++) {
		const char *first = scene->warning[kinds.kind[i].first].text;

		n = strlen(alike_text(&kinds.kind[i], first, text, sizeof(text)));
		if (at + n + 2 > sizeof(row->warned))
			break;
		at += (size_t)snprintf(row->warned + at, sizeof(row->warned) - at, "%s\n", text);
	}
	alike_free(&kinds);
}

// The enum of the text in the summary.
static enum sweep_steady steady_of(const char *verdict)
{
	return !strcmp(verdict, "settled")     ? SWEEP_SETTLED
	       : !strcmp(verdict, "unsettled") ? SWEEP_UNSETTLED
					       : SWEEP_NOT_JUDGED;
}

bool sweep_may_lead(const struct sweep *s, unsigned run)
{
	const struct sweep_row *row = &s->row[run];
	bool judged = false;

	if (row->state != SWEEP_PASSED || row->steady == SWEEP_UNSETTLED)
		return false;
	for (unsigned i = 0; i < s->n_runs; i++)
		judged |= sweep_has_figures(&s->row[i]) && s->row[i].steady != SWEEP_NOT_JUDGED;
	return row->steady == SWEEP_SETTLED || !judged;
}

void sweep_fill(const struct sweep *s, struct sweep_row *row, const struct report *rec,
	const struct scene *scene)
{
	const struct summary *sum = report_summary(rec);
	char room[KIND_NAME];

	keep_warnings(row, scene);
	row->steady = steady_of(summary_label(sum, KIND_STEADY, 0, "verdict", room));
	snprintf(row->why, sizeof(row->why), "%s", summary_label(sum, KIND_STEADY, 0, "why", room));
	for (unsigned i = 0; i < s->n_columns; i++)
		row->value[i] = applies(s->column[i].name, rec, scene)
					? report_value(rec, s->column[i].path) * s->column[i].scale
					: NAN;
}

void sweep_free(struct sweep *s)
{
	for (unsigned i = 0; i < s->n_axes; i++) {
		for (unsigned k = 0; k < s->axis[i].n; k++)
			free(s->axis[i].value[k]);
		free(s->axis[i].value);
		free(s->axis[i].path);
	}
	for (unsigned i = 0; s->suite && i < s->n_runs; i++)
		free(s->suite[i]);
	free(s->suite);
	free(s->row);
}
