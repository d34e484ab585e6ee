// SPDX-License-Identifier: BSD-3-Clause
// The words of this program's own events, and how forms are called in files.
#include "evf.h"

#include <stdlib.h>

#include "job/job.h"
#include "nic/nic.h"
#include "sw/sw.h"

const struct fmt_text evf_no_text;

struct words {
	struct evf_names names;
	struct fmt_text reaction[RP_EVENTS], resume[EV_RESUME_WATCHDOG + 1];
	struct fmt_text action[PFCWD_ALERT + 1], refusal[RC_REFUSALS], sw_drop[SW_DROPS],
		nic_drop[NIC_DROPS];
};

// Each form with the other fields of the same type that it needs.
static const struct {
	const char *name;
	uint8_t size; // 0: any
	const char *with[EVF_WITH];
} forms[] = {
	[EV_FORM_NUMBER] = {"number", 0, {NULL}},
	[EV_FORM_US] = {"us", 8, {NULL}},
	[EV_FORM_GBPS] = {"gbps", 8, {NULL}},
	[EV_FORM_MILLIONTHS] = {"millionths", 4, {NULL}},
	[EV_FORM_FLOW] = {"flow", 4, {NULL}},
	[EV_FORM_HDR] = {"header", 4, {NULL}},
	[EV_FORM_DROP] = {"drop", 0, {NULL}},
	[EV_FORM_RESUME] = {"resume", 0, {NULL}},
	[EV_FORM_REACTION] = {"reaction", 1, {NULL}},
	[EV_FORM_ACTION] = {"action", 0, {NULL}},
	[EV_FORM_CLASSES] = {"classes", 1, {"whole_link"}},
	[EV_FORM_ADDRESS] = {"address", 8, {NULL}},
	[EV_FORM_REG] = {"register", 4, {"lsb", "width", "value"}},
	[EV_FORM_PLACE] = {"place", 0, {"queues", "since"}},
	[EV_FORM_QUEUE] = {"queue", 0, {"out_cls"}},
	[EV_FORM_SET] = {"set", 4, {"what"}},
	[EV_FORM_TEXT] = {"text", 4, {NULL}},
	[EV_FORM_REFUSAL] = {"refusal", 0, {"its", "ours"}},
	[EV_FORM_RANK] = {"rank", 4, {NULL}},
	[EV_FORM_FAULT] = {"fault", 1, {"record", "kind"}},
	[EV_FORM_COUNT] = {"count", 0, {NULL}},
};

#define FORMS (sizeof(forms) / sizeof(forms[0]))

const char *evf_form_name(enum ev_form form)
{
	return forms[form].name;
}

enum ev_form evf_form_of(const char *name)
{
	for (unsigned i = 0; i < FORMS; i++)
		if (!strcmp(forms[i].name, name))
			return (enum ev_form)i;
	return EV_FORM_NUMBER;
}

unsigned evf_form_size(enum ev_form form)
{
	return forms[form].size;
}

bool evf_form_with(enum ev_form form)
{
	return forms[form].with[0];
}

const struct ev_field *evf_field(const struct ev_row *row, const char *name)
{
	for (unsigned i = 0; i < row->n_fields; i++)
		if (!strcmp(row->field[i].name, name))
			return &row->field[i];
	return NULL;
}

static bool is_class(const struct ev_field *f)
{
	return f->offset == offsetof(struct ev, cls) && f->size == sizeof(((struct ev *)0)->cls) &&
	       f->form == EV_FORM_NUMBER;
}

bool evf_type_init(struct evf_type *t, const struct ev_row *row)
{
	bool whole = true;

	*t = (struct evf_type){.row = row};
	fmt_text_set(&t->name, row->name);
	while (t->n_shown < row->n_fields && row->field[t->n_shown].column)
		t->n_shown++;
	t->has_class = t->n_shown && is_class(row->field);
	for (unsigned i = 0; i < row->n_fields; i++)
		for (unsigned k = 0; k < EVF_WITH; k++) {
			const char *with = forms[row->field[i].form].with[k];

			if (!with)
				break;
			t->with[k] = evf_field(row, with);
			whole = whole && t->with[k];
		}
	return whole;
}

const char *evf_part_name(unsigned part)
{
	static const char *const name[JOB_PARTS] = {[JOB_WIRE] = "wire",
		[JOB_COMPUTE] = "compute",
		[JOB_PAUSE] = "pause",
		[JOB_RATE] = "rate",
		[JOB_RESEND] = "resend",
		[JOB_WAIT] = "wait"};

	return part < JOB_PARTS ? name[part] : "part";
}

const struct evf_job *evf_job_of(const struct evf_names *n, uint64_t rank)
{
	for (unsigned i = 0; i < n->n_jobs; i++)
		if (rank >= n->job[i].first && rank - n->job[i].first < n->job[i].n)
			return &n->job[i];
	return NULL;
}

bool evf_counts(const struct ev_row *row)
{
	for (unsigned i = 0; i < row->n_fields; i++)
		if (row->field[i].form == EV_FORM_COUNT)
			return true;
	return false;
}

static struct evf_texts texts(const struct fmt_text *t, unsigned n)
{
	return (struct evf_texts){t, sizeof(*t), n};
}

struct evf_names *evf_names_new(void)
{
	static const char *const resume[] = {"xon", "expired", "pfcwd"};
	static const char *const action[] = {"drop", "forward", "alert"};
	struct words *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	for (unsigned i = 0; i < EV_TYPES; i++)
		evf_type_init(&w->names.type[i], &ev_row[i]);
	for (unsigned i = 0; i < RP_EVENTS; i++)
		fmt_text_set(&w->reaction[i], rp_event_name((enum rp_event)i));
	for (unsigned i = 0; i < SW_DROPS; i++)
		fmt_text_set(&w->sw_drop[i], sw_drop_name((enum sw_drop)i));
	for (unsigned i = 0; i < NIC_DROPS; i++)
		fmt_text_set(&w->nic_drop[i], nic_drop_name((enum nic_drop)i));
	for (unsigned i = 0; i <= EV_RESUME_WATCHDOG; i++)
		fmt_text_set(&w->resume[i], resume[i]);
	for (unsigned i = 0; i <= PFCWD_ALERT; i++)
		fmt_text_set(&w->action[i], action[i]);
	for (unsigned i = 0; i < RC_REFUSALS; i++)
		fmt_text_set(&w->refusal[i], rc_refusal_name((enum rc_refusal)i));
	w->names.n_types = EV_TYPES;
	w->names.n_columns = EV_COLS;
	w->names.column = ev_column;
	w->names.reaction = texts(w->reaction, RP_EVENTS);
	w->names.resume = texts(w->resume, EV_RESUME_WATCHDOG + 1);
	w->names.action = texts(w->action, PFCWD_ALERT + 1);
	w->names.refusal = texts(w->refusal, RC_REFUSALS);
	w->names.drop[EVF_SWITCH] = texts(w->sw_drop, SW_DROPS);
	w->names.drop[EVF_NIC] = texts(w->nic_drop, NIC_DROPS);
	return &w->names;
}

static_assert(offsetof(struct words, names) == 0, "free() is given the names");
static_assert((int)EV_TYPES <= EVF_TYPES_MOST && (int)EV_COLS <= EVF_COLUMNS_MOST,
	"files have room for the program's own tables");
