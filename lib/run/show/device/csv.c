// SPDX-License-Identifier: BSD-3-Clause
// probe.csv: a line of each figure, with numbers as they are.
#include "device.h"

static void put_number(struct out *o, bool is, double value)
{
	out_str(o, ",");
	if (is)
		out_printf(o, "%.10g", value);
}

void device_csv(const struct device *d, struct out *o)
{
	out_str(o, "class,figure,unit,state,value,half_width,least,most,configured,verdict,why\n");
	for (unsigned i = 0; i < d->lines; i++) {
		const struct device_line *l = &d->line[i];
		const struct probe_figure_row *row = &probe_figure[l->figure];
		const struct found *f = l->found;
		bool has = f->state != FOUND_NOT && f->state != FOUND_INVALID;

		if (l->cls == PROBE_DEVICE)
			out_str(o, "device");
		else
			out_printf(o, "%u", l->cls);
		out_printf(o, ",%s,%s,%s", row->name, row->unit ? row->unit : "word",
			device_state_name[f->state]);
		if (has && !row->unit && f->state != FOUND_NONE)
			out_printf(o, ",%s", row->word[(unsigned)f->value]);
		else
			put_number(o, has, f->value);
		put_number(o, has && f->pm > 0, f->pm);
		put_number(o, f->state == FOUND_VARIES, f->least);
		put_number(o, f->state == FOUND_VARIES, f->most);
		if (l->configured.given && !row->unit)
			out_printf(o, ",%s", row->word[(unsigned)l->configured.value]);
		else
			put_number(o, l->configured.given, l->configured.value);
		out_printf(o, ",%s,", device_verdict_name[l->verdict]);
		out_field(o, f->why ? f->why : "");
		out_str(o, "\n");
	}
}
