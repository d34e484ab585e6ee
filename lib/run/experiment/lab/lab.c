// SPDX-License-Identifier: BSD-3-Clause
// Steps of an experiment, and questions about what was seen in one.
#include "lab.h"

#include <errno.h>

#include "wire/pfc.h"

int lab_do(struct lab *lab, const struct lab_step *step, struct lab_sight *sight, struct err *err)
{
	int rc = 0;

	for (unsigned p = 0; !rc && p < TESTER_PORTS; p++)
		if ((p >= lab->ports && step->port[p].n) ||
			tester_check(step->port[p].item, step->port[p].n, lab->ports))
			rc = err_set(
				err, -EINVAL, "%s: port %u cannot send such a list", step->name, p);
	*sight = (struct lab_sight){0};
	if (!rc)
		rc = lab->step(lab, step, sight, err);
	lab->steps++;
	lab->scene_time += sight->took;
	return rc;
}

uint32_t lab_sent(const struct lab_seen *s, unsigned source, tstamp until)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n && s->entry[i].at < until; i++)
		n += s->entry[i].sent && s->entry[i].frame == TESTER_OURS &&
		     s->entry[i].source == source;
	return n;
}

uint32_t lab_came(const struct lab_seen *s, unsigned source, tstamp until)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n && s->entry[i].at <= until; i++)
		n += !s->entry[i].sent && s->entry[i].frame == TESTER_OURS &&
		     s->entry[i].source == source;
	return n;
}

const struct tester_seen *lab_pfc(const struct lab_seen *s, unsigned cls, bool xoff, uint32_t *at)
{
	for (uint32_t i = *at + 1; i < s->n; i++) {
		const struct tester_seen *e = &s->entry[i];
		const struct pkt_pfc *f;

		if (e->sent || e->frame != TESTER_CONTROL)
			continue;
		f = &lab_control(s, e)->pfc;
		if (lab_control(s, e)->opcode != MACCTL_PFC || !(f->enable >> cls & 1) ||
			(f->quanta[cls] != 0) != xoff)
			continue;
		*at = i;
		return e;
	}
	return NULL;
}
