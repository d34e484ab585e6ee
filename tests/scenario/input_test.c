// SPDX-License-Identifier: BSD-3-Clause
// Scenarios that are wrong in one place: each is refused with the line, the column, what is wrong,
// what would be right.
#include "compile/compile.h"
#include "scn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A good one, that each row makes bad.
static const char good[] = "duration: 10us\n"
			   "switches:\n"
			   "  s1: {classes: {3: {lossless: true}}}\n"
			   "hosts:\n"
			   "  h1..2:\n"
			   "  r:\n"
			   "links:\n"
			   "  - {between: [[h1..2, r], s1], rate: 25Gbps, delay: 1us}\n"
			   "flows:\n"
			   "  incast: {from: h1..2, to: r}\n";

static const struct {
	const char *from, *to; // "": at the end
	const char *want;      // line, column, and how the message begins
} rows[] = {
	{"10us", "99999999999999999999999s",
		"1:11: duration: 99999999999999999999999s is out of range; it can be 1us..100000s"},
	{"10us", "300days",
		"1:11: duration: '300days' has the wrong unit; write a time, as in 55us or 1.5ms"},
	{"10us", "-10us", "1:11: duration: -10us is out of range; it can be 1us..100000s"},
	{"10us", "nan", "1:11: duration: 'nan' is not right; write a time, as in 55us or 1.5ms"},
	{"10us", ".inf", "1:11: duration: '.inf' is not right; write a time, as in 55us or 1.5ms"},
	{"10us", "0us", "1:11: duration: 0us is out of range; it can be 1us..100000s"},
	{"duration: 10us\n", "",
		"1:1: 'duration' is missing in this scenario; write a time, as in 55us or 1.5ms"},
	{"25Gbps", "25GB",
		"8:39: rate: '25GB' has the wrong unit; write a rate, as in 100Gbps or 40Mbps"},
	{"25Gbps", "0Gbps", "8:39: rate: 0Gbps is out of range; it can be 10Mbps..800Gbps"},
	{"25Gbps", "99999999Gbps",
		"8:39: rate: 99999999Gbps is out of range; it can be 10Mbps..800Gbps"},
	{"25Gbps", "2.5e1Gbps",
		"8:39: rate: '2.5e1Gbps' has the wrong unit; write a rate, as in 100Gbps or "
		"40Mbps"},
	{"h1..2:\n", "h1..99999999:\n", "5:3: 'h1..99999999' is no range of names; write h1..8"},
	{"h1..2:\n", "h2..1:\n", "5:3: 'h2..1' runs backwards; write h1..2"},
	{"h1..2:\n", "h1..18446744073709551617:\n",
		"5:3: 'h1..18446744073709551617' is no range of names; write h1..8"},
	{"h1..2:\n", "h1..66000:\n", "5:3: more than 65535 names; "},
	{"  r:\n", "  r: &x {}\n",
		"6:6: anchors are not read here; name the thing, or use `defaults`"},
	{"  r:\n", "  r: *x\n",
		"6:6: aliases are not read here; name the thing, or use `defaults`"},
	{"10us", "!!int 10us", "1:11: tags are not read here; write the plain value"},
	{"incast",
		"in\xc3\xa7"
		"ast",
		"10:3: "},
	{"incast", "\"in\\ncast\"", "10:3: "},
	{"incast",
		"in\xe9"
		"ast_latin1",
		"10:6: not text: invalid trailing UTF-8 octet (a scenario is YAML in UTF-8)"},
	{"r], s1]", "r, zz], s1]",
		"8:27: there is no node 'zz'; name it under `hosts` or `switches`"},
	{"[[h1..2, r], s1]", "[s1, s1]", "8:15: this joins nothing; a link has two different ends"},
	{"flows:\n", "  - {between: [h1, s1], rate: 25Gbps, delay: 1us}\nflows:\n",
		"9:5: host 'h1' has a link already (h1:s1); a host has one"},
	{"lossless: true", "losless: true",
		"3:22: unknown key 'losless' in a class; did you mean 'lossless'?"},
	{"lossless: true", "lossless: 7", "3:32: lossless: '7' is not right; write true or false"},
	{"lossless: true", "lossless: true, lossless: false",
		"3:38: 'lossless' stands here twice (first in line 3); write it once"},
	{"{3: {lossless: true}}", "{3: {lossless: true}, 03: {lossless: true}}",
		"3:39: classes: 3 stands here twice; write it once"},
	{"{3: {", "{8: {", "3:18: classes: the key '8' is not right; it can be 0..7"},
	{"{3: {", "{-1: {", "3:18: classes: the key '-1' is not right; it can be 0..7"},
	{"lossless: true", "lossless: true, pfc: {xoff: 10KB, xon: 20KB}",
		"3:61: xon 20KB is above xoff 10KB; it must be at or below it"},
	{"lossless: true", "lossless: true, pfc: {xoff: 10KB, xon_offset: 20KB}",
		"3:50: xoff 10KB is below xon_offset 20KB, so there would be no XON; raise it"},
	{"lossless: true", "lossless: true, wred: {min: 10KB, max: 5KB, probability: 1%}",
		"3:50: wred min 10KB is above max 5KB; it must be at or below it"},
	{"lossless: true", "lossless: true, wred: {min: 1KB, max: 5KB, probability: 101%}",
		"3:78: probability: 101% is out of range; it can be 0%..100%"},
	{"{classes", "{buffer: 1, classes",
		"3:16: buffer: 1 is out of range; it can be 10KB..1GiB"},
	{"to: r", "to: s1", "10:29: 's1' is a switch; flows run between hosts"},
	{"to: r", "to: nobody",
		"10:29: there is no node 'nobody'; name it under `hosts` or `switches`"},
	{"to: r", "to: r, mtu: 1001",
		"10:37: a path MTU of 1001 is too small or no multiple of 4; write 256, 512, 1024, "
		"2048 or 4096, or another multiple of 4 up to 9000"},
	{"to: r", "to: r, imm: 7",
		"10:37: flow 'incast' has no immediate data for `imm`; give it verb: write_imm or "
		"send_imm"},
	{"to: r", "to: r, message: 4GB", "10:41: message: 4GB is out of range; it can be 0..2GiB"},
	{"to: r", "to: r, qps: 4000000",
		"10:37: qps: 4000000 is out of range; it can be 1..1048576"},
	{"to: r", "to: r, control: nosuch",
		"10:41: there is no control 'nosuch'; name it under `controls`, or write none"},
	{"to: r", "to: r, dscp: 64", "10:38: dscp: 64 is out of range; it can be 0..63"},
	{"to: r", "to: r, pcp: 8", "10:37: pcp: 8 is out of range; it can be 0..7"},
	{"to: r", "to: r, open_loop: {size: 10, rate: 5%}",
		"10:50: size: 10 is out of range; it can be 64..16384"},
	{"to: r", "to: r, open_loop: {size: 1500..64, rate: 5%}",
		"10:50: size: 1500..64 runs backwards; write the smaller end first"},
	{"to: r", "to: r, open_loop: {size: 64, rate: 500%}",
		"10:60: rate: 500% is out of range; it can be 0%..100%"},
	{"  r:\n", "  r: {mac: \"01:00:00:00:00:01\"}\n",
		"6:12: mac: 01:00:00:00:00:01 is a group address; the first byte is even"},
	{"  r:\n", "  r: {ip: 10.0.0.1}\n",
		"6:3: hosts 'h1' and 'r' have the same ip; give each its own"},
	{"  r:\n", "  r: {ip: 300.0.0.1}\n",
		"6:11: ip: '300.0.0.1' is not right; write an address, as in 10.0.0.1 or fd00::1"},
	{"  r:\n", "  r: {ip: 224.0.0.1}\n",
		"6:11: ip: 224.0.0.1 is no host's address; write one, as in 10.0.0.1 or fd00::1"},
	{"  r:\n", "  r: {replay: {file: /nonexistent}}\n",
		"6:22: /nonexistent: No such file or directory"},
	{"", "ports: {\"s1:q\": {device: net_null0}}\n",
		"11:9: there is no port 's1:q'; s1 has s1:h1 .. s1:r"},
	{"", "ports: {s1: {device: net_null0}}\n",
		"11:9: 's1' is no port; write node:peer, as in s1:h3"},
	{"", "events: [{at: 1us, link_down: \"s1:zz\"}]\n",
		"11:31: there is no port 's1:zz'; s1 has s1:h1 .. s1:r"},
	{"", "events: [{at: 1us, link_down: \"s1:r\", link_up: \"s1:r\"}]\n",
		"11:10: an event has `at` and one action: link_down, link_up"},
	{"", "duration: 20us\n",
		"11:1: 'duration' stands here twice (first in line 1); write it once"},
	{"", "seed: -1\n", "11:7: seed: -1 is out of range; it can be 0..9223372036854775807"},
	{"", "seed: 18446744073709551616\n",
		"11:7: seed: 18446744073709551616 is out of range; it can be "
		"0..9223372036854775807"},
	{"", "seed: ~\n", "11:7: seed has no value; write a whole number"},
	{"", "warmup: 20us\n", "11:9: warmup takes all of the duration; make it shorter"},
	{"", "sample: 0us\n", "11:9: sample: 0us is out of range; it can be 10us..1000s"},
	{"", "events: [{at: 1us,\n", "11:10: not YAML: the brace that opens here is not closed"},
	{"", "name: \"\"\n", "11:7: name is empty; write a word, or leave it out"},
	{"", "name: \"abc\n", "11:7: not YAML: the quote that opens here is not closed"},
	{"", "---\na: 1\n", "11:1: a second document; a file is one scenario"},
	{"", "? [a, b]\n: 1\n", "11:3: a key must be plain text"},
	{"", "\tx: 1\n",
		"11:1: a tab cannot indent a line of YAML; write two spaces for each level"},
	{"", "x: \x01\n",
		"11:4: not text: control characters are not allowed (a scenario is YAML in UTF-8)"},
	{"[[h1..2, r], s1]", "[h1..2, s1]", "6:3: host 'r' has no link; add one to `links`"},
	{"[[h1..2, r], s1]", "[h1, s1], rate: 1Gbps, delay: 1us}\n  - {between: [h2, r]", "11:3: "},
};

static int load(const char *text, size_t size, struct err *err)
{
	char path[] = "/tmp/quench-input-XXXXXX";
	int fd = mkstemp(path), rc;
	struct scene *scene;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, size), (ssize_t)size);
	close(fd);
	rc = compile_scene(&scene, path, &(struct scene_opts){0}, err);
	unlink(path);
	if (!rc) {
		scene_free(scene);
		return 0;
	}
	// The file's name is left out.
	assert_memory_equal(err->text, path, strlen(path));
	memmove(err->text, err->text + strlen(path) + 1, strlen(err->text) - strlen(path));
	return rc;
}

static void the_good_one_is_good(void **state)
{
	struct err err = {0};

	(void)state;
	if (load(good, strlen(good), &err))
		fail_msg("%s", err.text);
}

static void what_is_wrong_is_told_with_its_place(void **state)
{
	unsigned bad = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *at = *rows[i].from ? strstr(good, rows[i].from) : good + strlen(good);
		struct err err = {0};
		char text[1024];

		assert_non_null(at);
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - good), good, rows[i].to,
			at + strlen(rows[i].from));
		if (!load(text, strlen(text), &err))
			snprintf(err.text, sizeof(err.text), "taken");
		if (!strncmp(err.text, rows[i].want, strlen(rows[i].want)) &&
			!strchr(err.text, '\n'))
			continue;
		printf("'%s' for '%s': %s\n  instead of: %s\n", rows[i].to, rows[i].from, err.text,
			rows[i].want);
		bad++;
	}
	assert_int_equal(bad, 0);
}

static void refuse(const char *text, size_t size, const char *want)
{
	struct err err = {0};

	assert_int_equal(load(text, size, &err), -EINVAL);
	if (strncmp(err.text, want, strlen(want)) != 0)
		fail_msg("'%s' instead of '%s'", err.text, want);
}

// Nothing, a comment, no map, a list, bytes of another encoding, brackets without end.
static void what_is_no_scenario_is_told(void **state)
{
	static char deep[40000];

	(void)state;
	refuse("", 0, "1:1: empty; ");
	refuse("# x\n", 4, "1:1: empty; ");
	refuse("hello\n", 6, "1:1: a scenario is a map of options, as in ");
	refuse("- a\n", 4, "1:1: a scenario is a map of options, as in ");
	refuse("\xff\xfe"
	       "a\0:\0",
		6, "1:1: not text: ");
	refuse("a: \0", 4, "1:4: not text: ");
	memset(deep, '[', sizeof(deep));
	refuse(deep, sizeof(deep), "1:");
	memset(deep, 'x', sizeof(deep));
	refuse(deep, sizeof(deep), "1:1: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_good_one_is_good),
		cmocka_unit_test(what_is_wrong_is_told_with_its_place),
		cmocka_unit_test(what_is_no_scenario_is_told),
	};

	return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
