// SPDX-License-Identifier: BSD-3-Clause
// A view of the model: the order of its rows, and the keys that change it.
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct top_column port_columns[] = {
	{"LINK", PORT_RATE, FORM_LINK, .width = 5},
	{"OUT Gb/s", PORT_OUT, FORM_GBPS, .width = 6, .bar = true},
	{"IN Gb/s", PORT_IN, FORM_GBPS, .width = 6, .bar = true},
	{"PAUSED", PORT_PAUSED, FORM_PERCENT, .width = 6},
	{"PAUSING", PORT_PAUSING, FORM_PERCENT, .width = 7},
	{"DROPS", PORT_DROPS, FORM_COUNT, .width = 5},
	{0},
};

static const struct top_column queue_columns[] = {
	{"LENGTH", QUEUE_LENGTH, FORM_BYTES, .width = 6, .bar = true},
	{"KMIN/XON", QUEUE_LOW, FORM_BYTES, .width = 8, .from = 96},
	{"KMAX/XOFF", QUEUE_HIGH, FORM_BYTES, .width = 9, .from = 96},
	{"MARKS/s", QUEUE_MARKS, FORM_COUNT, .width = 7},
	{"PAUSES/s", QUEUE_PAUSES, FORM_COUNT, .width = 8},
	{"DROPS", QUEUE_DROPS, FORM_COUNT, .width = 5},
	{0},
};

static const struct top_column flow_columns[] = {
	{"RATE Gb/s", FLOW_RATE, FORM_GBPS, .width = 6, .bar = true},
	{"Rc Gb/s", FLOW_RC, FORM_GBPS, .width = 7},
	{"ALPHA", FLOW_ALPHA, FORM_RATIO, .width = 6},
	{"CNPs/s", FLOW_CNPS, FORM_COUNT, .width = 6},
	{"RESENT/s", FLOW_RESENT, FORM_COUNT, .width = 8},
	{0},
};

const struct top_column *top_columns(enum top_section s)
{
	return s == TOP_PORTS ? port_columns : s == TOP_QUEUES ? queue_columns : flow_columns;
}

const char *top_section_name(enum top_section s)
{
	return s == TOP_PORTS ? "PORT" : s == TOP_QUEUES ? "QUEUE" : "QUEUE PAIR";
}

void top_view_init(struct top_view *v)
{
	*v = (struct top_view){0};
	for (unsigned s = 0; s < TOP_SECTIONS; s++)
		v->list[s].selected = TOP_FIRST;
	v->list[TOP_FLOWS].sort = TOP_BY_VALUE; // its first column, the rate
	v->list[TOP_FLOWS].down = true;
}

void top_view_free(struct top_view *v)
{
	for (unsigned s = 0; s < TOP_SECTIONS; s++)
		free(v->list[s].order);
	*v = (struct top_view){0};
}

struct order {
	const struct top_list *list;
	const struct top_row *row;
	unsigned value;
	bool queues;
};

// Queues in the order of the scene: queues with thresholds come first.
static int by_threshold(const struct order *o, uint32_t i, uint32_t k)
{
	return o->queues ? isnan(o->row[i].value[QUEUE_HIGH]) - isnan(o->row[k].value[QUEUE_HIGH])
			 : 0;
}

static int by_sort(const void *a, const void *b, void *arg)
{
	const struct order *o = arg;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	double x = o->row[i].mean[o->value], y = o->row[k].mean[o->value];
	int d = 0;

	if (o->list->sort == TOP_BY_ORDER)
		d = by_threshold(o, i, k);
	else if (o->list->sort == TOP_BY_NAME)
		d = strverscmp(o->row[i].name, o->row[k].name); // h2 before h10
	else if (isnan(x) != isnan(y))
		return isnan(x) ? 1 : -1; // unknown ones last
	else if (!isnan(x))
		d = (x > y) - (x < y);
	if (d)
		return o->list->down ? -d : d;
	return (i > k) - (i < k);
}

static bool sort_list(
	struct top_view *v, struct top_list *l, const struct top_model *m, enum top_section s)
{
	const struct top_rows *rows = &m->of[s];
	struct order o = {l, rows->row, 0, s == TOP_QUEUES};

	if (l->sort >= TOP_BY_VALUE)
		o.value = top_columns(s)[l->sort - TOP_BY_VALUE].value;
	if (rows->n > l->cap) {
		uint32_t *more = realloc(l->order, rows->n * sizeof(*more));

		if (!more)
			return false;
		l->order = more;
		l->cap = rows->n;
	}
	l->n = 0;
	for (uint32_t i = 0; i < rows->n; i++)
		if (strstr(rows->row[i].name, v->filter.text))
			l->order[l->n++] = i;
	if (l->n)
		qsort_r(l->order, l->n, sizeof(*l->order), by_sort, &o);
	return true;
}

unsigned top_view_place(const struct top_list *l)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->order[i] == l->selected)
			return i;
	return 0;
}

// Moves the list so that the selected row is on the screen.
static void follow(struct top_list *l)
{
	unsigned place = top_view_place(l);

	if (place < l->first)
		l->first = place;
	if (l->room && place >= l->first + l->room)
		l->first = place - l->room + 1;
	if (l->first + l->room > l->n)
		l->first = l->n > l->room ? l->n - l->room : 0;
}

bool top_view_sort(struct top_view *v, const struct top_model *m)
{
	for (unsigned s = 0; s < TOP_SECTIONS; s++) {
		if (!sort_list(v, &v->list[s], m, (enum top_section)s))
			return false;
		follow(&v->list[s]);
	}
	return true;
}

const struct top_row *top_view_row(const struct top_view *v, const struct top_model *m)
{
	const struct top_list *l = &v->list[v->focus];

	return l->n ? &m->of[v->focus].row[l->order[top_view_place(l)]] : NULL;
}

static void move(struct top_list *l, long by)
{
	long place = (long)top_view_place(l) + by;

	if (!l->n)
		return;
	place = place < 0 ? 0 : place >= (long)l->n ? (long)l->n - 1 : place;
	l->selected = l->order[place];
	follow(l);
}

// Returns whether the key moved the selection.
static bool move_key(struct top_list *l, int key)
{
	long page = l->room > 1 ? (long)l->room - 1 : 1;

	switch (key) {
	case TOP_KEY_UP:
	case 'k':
		move(l, -1);
		return true;
	case TOP_KEY_DOWN:
	case 'j':
		move(l, 1);
		return true;
	case TOP_KEY_PAGE_UP:
		move(l, -page);
		return true;
	case TOP_KEY_PAGE_DOWN:
		move(l, page);
		return true;
	case TOP_KEY_HOME:
		l->selected = TOP_FIRST;
		l->first = 0;
		return true;
	case TOP_KEY_END:
		move(l, (long)l->n);
		return true;
	default:
		return false;
	}
}

static unsigned count_columns(enum top_section s)
{
	unsigned n = 0;

	while (top_columns(s)[n].head)
		n++;
	return n;
}

static void input_set(struct top_input *in, const char *text)
{
	snprintf(in->text, sizeof(in->text), "%s", text);
	in->n = in->at = (unsigned)strlen(in->text);
}

static void input_erase(struct top_input *in, unsigned at)
{
	if (at >= in->n)
		return;
	memmove(in->text + at, in->text + at + 1, in->n - at);
	in->n--;
}

// Takes a key of a line that is typed. Other characters than printable ASCII are left out.
static void input_key(struct top_input *in, int key)
{
	switch (key) {
	case TOP_KEY_LEFT:
		in->at -= in->at > 0;
		return;
	case TOP_KEY_RIGHT:
		in->at += in->at < in->n;
		return;
	case TOP_KEY_HOME:
		in->at = 0;
		return;
	case TOP_KEY_END:
		in->at = in->n;
		return;
	case TOP_KEY_DELETE:
		input_erase(in, in->at);
		return;
	case TOP_KEY_BACKSPACE:
		if (in->at)
			input_erase(in, --in->at);
		return;
	case 'U' & 0x1f:
		input_set(in, "");
		return;
	default:
		break;
	}
	if (key < ' ' || key > '~' || in->n + 1 >= sizeof(in->text))
		return;
	memmove(in->text + in->at + 1, in->text + in->at, in->n - in->at + 1);
	in->text[in->at++] = (char)key;
	in->n++;
}

static void open_actions(struct top_view *v, const struct top_model *m)
{
	const struct top_row *row = top_view_row(v, m);

	v->n_actions = row ? top_actions(v->action, v->focus, row) : 0;
	v->choice = 0;
	*v->told = '\0';
	if (v->n_actions) {
		v->mode = MODE_ACTIONS;
		return;
	}
	snprintf(v->told, sizeof(v->told), "There is nothing to change about this row.");
	v->told_bad = false;
}

static void open_past(struct top_view *v)
{
	const struct top_list *l = &v->list[v->focus];

	if (!l->n)
		return;
	v->past_of = v->focus;
	v->past_row = l->order[top_view_place(l)];
	v->mode = MODE_PAST;
}

static void rows_key(struct top_view *v, const struct top_model *m, int key)
{
	if (move_key(&v->list[v->focus], key))
		return;
	switch (key) {
	case 'q':
	case TOP_KEY_QUIT:
		v->quit = true;
		break;
	case 'h':
	case '?':
	case TOP_KEY_HELP:
		v->mode = MODE_HELP;
		break;
	case '/':
	case TOP_KEY_FILTER:
		snprintf(v->old_filter, sizeof(v->old_filter), "%s", v->filter.text);
		v->mode = MODE_FILTER;
		break;
	case 's':
	case TOP_KEY_SORT:
		v->mode = MODE_SORT;
		v->choice = v->list[v->focus].sort;
		break;
	case 'i':
		v->list[v->focus].down = !v->list[v->focus].down;
		break;
	case ' ':
	case 'p':
		v->frozen = !v->frozen;
		break;
	case TOP_KEY_TAB:
	case TOP_KEY_RIGHT:
		v->focus = (v->focus + 1) % TOP_SECTIONS;
		break;
	case TOP_KEY_BACK_TAB:
	case TOP_KEY_LEFT:
		v->focus = (v->focus + TOP_SECTIONS - 1) % TOP_SECTIONS;
		break;
	case 'a':
		open_actions(v, m);
		break;
	case TOP_KEY_ENTER:
		open_past(v);
		break;
	case TOP_KEY_ESCAPE:
		*v->told = '\0';
		input_set(&v->filter, "");
		break;
	default:
		break;
	}
}

static void filter_key(struct top_view *v, int key)
{
	if (key == TOP_KEY_ENTER) {
		v->mode = MODE_ROWS;
	} else if (key == TOP_KEY_ESCAPE) {
		input_set(&v->filter, v->old_filter);
		v->mode = MODE_ROWS;
	} else {
		input_key(&v->filter, key);
	}
}

// Moves in a menu of n lines. Returns whether its line was chosen.
static bool menu_key(struct top_view *v, unsigned n, int key)
{
	if (key == TOP_KEY_ESCAPE || key == 'q')
		v->mode = MODE_ROWS;
	else if (key == TOP_KEY_UP || key == 'k')
		v->choice = v->choice ? v->choice - 1 : n - 1;
	else if (key == TOP_KEY_DOWN || key == 'j' || key == TOP_KEY_TAB)
		v->choice = (v->choice + 1) % n;
	return key == TOP_KEY_ENTER;
}

// A column that is chosen again turns the order around. Numbers begin with the largest.
static void sort_key(struct top_view *v, int key)
{
	struct top_list *l = &v->list[v->focus];

	if (!menu_key(v, TOP_BY_VALUE + count_columns(v->focus), key))
		return;
	l->down = v->choice == l->sort ? !l->down : v->choice >= TOP_BY_VALUE;
	l->sort = v->choice;
	l->selected = TOP_FIRST;
	l->first = 0;
	v->mode = MODE_ROWS;
}

static void actions_key(struct top_view *v, int key)
{
	if (!menu_key(v, v->n_actions, key))
		return;
	input_set(&v->command, v->action[v->choice].text);
	v->mode = MODE_COMMAND;
}

static void command_key(struct top_view *v, int key)
{
	if (key == TOP_KEY_ESCAPE)
		v->mode = MODE_ROWS;
	else if (key == TOP_KEY_ENTER && v->command.n)
		v->mode = MODE_CONFIRM;
	else
		input_key(&v->command, key);
}

// Only y runs it.
static void confirm_key(struct top_view *v, int key)
{
	v->run = key == 'y' || key == 'Y';
	v->mode = MODE_ROWS;
	v->told_bad = false;
	snprintf(
		v->told, sizeof(v->told), "%s", v->run ? "The command is on its way." : "Not run.");
}

// A row over time: the keys of the rows that make sense there.
static void past_key(struct top_view *v, const struct top_model *m, int key)
{
	if (key == 'q' || key == TOP_KEY_ESCAPE || key == TOP_KEY_ENTER)
		v->mode = MODE_ROWS;
	else if (key == ' ' || key == 'p' || key == 'h' || key == '?' || key == TOP_KEY_HELP)
		rows_key(v, m, key);
	else if (move_key(&v->list[v->past_of], key))
		v->past_row = v->list[v->past_of].order[top_view_place(&v->list[v->past_of])];
}

void top_view_key(struct top_view *v, const struct top_model *m, int key)
{
	switch (v->mode) {
	case MODE_ROWS:
		rows_key(v, m, key);
		break;
	case MODE_HELP:
		v->mode = MODE_ROWS;
		break;
	case MODE_FILTER:
		filter_key(v, key);
		break;
	case MODE_SORT:
		sort_key(v, key);
		break;
	case MODE_PAST:
		past_key(v, m, key);
		break;
	case MODE_ACTIONS:
		actions_key(v, key);
		break;
	case MODE_COMMAND:
		command_key(v, key);
		break;
	case MODE_CONFIRM:
		confirm_key(v, key);
		break;
	}
}
