// SPDX-License-Identifier: BSD-3-Clause
// Frames that were discarded, by reason, and what senders made of their loss.
#include "int.h"

// A figure of the totals, and the end of the noun behind it.
#define COUNTED(s, name) total_count(s, name), plural(total_count(s, name))

// The frames discarded for a loss, or for filtering, by reason.
static void put_reasons(FILE *f, const struct summary *s, bool loss)
{
	ull all = total_count(s, loss ? "drops" : "filtered");
	const char *between = ": ";

	fprintf(f, "%llu frame%s", all, plural(all));
	for (int i = 0; i < SW_DROPS; i++) {
		const char *name = sw_drop_name((enum sw_drop)i);
		ull n = summary_count(s, KIND_DROP, 0, name);

		if (!n || summary_sw_loss((enum sw_drop)i) != loss)
			continue;
		fprintf(f, "%s%s %llu", between, name, n);
		between = ", ";
	}
	for (int i = 0; i < NIC_DROPS; i++) {
		const char *name = nic_drop_name((enum nic_drop)i);
		ull n = summary_count(s, KIND_NIC_DROP, 0, name);

		if (!n || summary_nic_loss((enum nic_drop)i) != loss)
			continue;
		fprintf(f, "%snic %s %llu", between, name, n);
		between = ", ";
	}
}

void text_drops(FILE *f, const struct summary *s)
{
	ull drops = total_count(s, "drops"), whole = total_count(s, "drops_total");

	fprintf(f, "  drops       ");
	if (drops)
		put_reasons(f, s, true);
	else
		fprintf(f, "none");
	if (whole > drops)
		fprintf(f, "; %llu more before the window", whole - drops);
	fprintf(f, "\n");
	if (total_count(s, "filtered")) {
		fprintf(f, "  filtered    ");
		put_reasons(f, s, false);
		fprintf(f, ", no loss\n");
	}
	if (total_count(s, "nak_rx") || total_count(s, "timeouts") || total_count(s, "failed_qps"))
		fprintf(f,
			"  repair      %llu frame%s resent, %llu NAK%s, %llu timeout%s, %llu QP%s "
			"failed\n",
			COUNTED(s, "data_frames_retransmitted"), COUNTED(s, "nak_rx"),
			COUNTED(s, "timeouts"), COUNTED(s, "failed_qps"));
}
