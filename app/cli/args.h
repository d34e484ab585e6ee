// SPDX-License-Identifier: BSD-3-Clause
// The table of a command: options, arguments, examples. Its parser, help, manual page and
// completion come from it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "conf/conf.h"

// The part of a command's help that an option stands in.
enum args_group { ARGS_COMMON, ARGS_RECORDING, ARGS_REAL_CLOCK, ARGS_GROUPS };

enum args_kind {
	ARGS_FLAG,   // bool; it takes no value
	ARGS_TEXT,   // const char *
	ARGS_WORD,   // an enum: the place of the value among `words`
	ARGS_NUMBER, // unsigned or uint64_t, min .. max
	ARGS_TIME,   // tstamp, above zero
	ARGS_RATE,   // uint64_t in bit/s, above zero
	ARGS_CALL,   // take() reads the value
};

// The words that complete a value.
enum args_fill {
	ARGS_NOTHING,
	ARGS_FILE,
	ARGS_FOLDER,
	ARGS_SCENARIO, // the name of one that comes with quench, or a file
	ARGS_CONTROL,  // SCENARIO:CONTROL
	ARGS_COMMAND,
	ARGS_SETTING,  // PATH=VALUE of the scenario that stands on the command line
	ARGS_CHANGE,   // PATH=VALUE that may change while a scene runs
	ARGS_FIGURE,   // the path of a figure of that scenario
	ARGS_LIVE,     // of a running instance
	ARGS_COLUMNS,  // two columns of a sweep's table, X,Y
	ARGS_REGISTER, // a register of the RDMA IP, or a field
	ARGS_EVENT,    // types of events, T,T
	ARGS_KIND,     // a kind of things that figures are of
};

struct args_option {
	const char *name;  // without its dashes
	char letter;       // "-h" of "--help"; 0: none
	const char *value; // what its value is called; NULL: `words` say it, or it is a flag
	enum args_group group;
	enum args_kind kind;
	enum args_fill fill;
	const char *const *words; // the values that there are; NULL ends them
	uint64_t min, max;        // of a number; max 0: none
	const char *def;          // taken where the option is not given; NULL: the field stays zero
	const char *help;
	const char *verb; // the one verb that it belongs to; NULL: it is not for one alone
	bool alone;       // says by itself what to do: the words behind it are not read
	size_t at, size;  // the field
	size_t given;     // a bool that becomes true with the option; 0: there is none
	int (*take)(void *to, const char *value, struct err *err); // -errno and a line
};

#define ARGS_AT(type, member) .at = offsetof(type, member), .size = sizeof(((type *)NULL)->member)

// A row of a table of options. Tables refer to rows by address, so that commands can share them.
#define ARGS_ROW(...) (&(const struct args_option){__VA_ARGS__})

// A word that is no option.
struct args_operand {
	const char *name; // NULL ends a list
	enum args_fill fill;
	bool optional, many;
};

// The first word of a command that does several things, and how many operands stand behind it.
struct args_verb {
	const char *name; // NULL ends a list
	unsigned n;
	const char *help;
};

// The exit statuses that a command can have besides 0 and 2.
enum {
	ARGS_VERDICT = 1 << 0,
	ARGS_STRICT = 1 << 1,
	ARGS_SIGNAL = 1 << 2,
};

struct args_command {
	const char *name; // NULL: quench itself
	const char *summary;
	const char *about; // paragraphs; an empty line parts them
	const struct args_option *const
		*options; // but --help, which every command has; NULL ends them
	const struct args_operand *operands;
	const struct args_verb *verbs; // NULL: none
	const char *wanted;            // which operands are wanted, in a sentence
	const char *behind;            // what may stand behind "--"; NULL: nothing
	const char *const *examples;   // NULL ends them
	unsigned statuses;
	const struct args_command *const *commands; // of quench itself; NULL ends them
	int (*run)(int argc, char **argv);          // argv[0] is the name; the exit status
};

// Lists of a table, with their ends.
#define ARGS_OPERANDS(...) ((const struct args_operand[]){__VA_ARGS__, {.name = NULL}})
#define ARGS_VERBS(...)    ((const struct args_verb[]){__VA_ARGS__, {.name = NULL}})
#define ARGS_OPTIONS(...)  ((const struct args_option *const[]){__VA_ARGS__, NULL})
#define ARGS_WORDS(...)    ((const char *const[]){__VA_ARGS__, NULL})

enum { ARGS_WRONG = -1, ARGS_HELPED = 0 };

// Reads the words of a command into the struct that its options have their fields in. Returns the
// place of the first operand in argv, where operands stand last; ARGS_HELPED: the help was printed;
// ARGS_WRONG: a line on stderr says why.
int args_read(const struct args_command *c, void *to, int argc, char **argv);

// The command of that name; NULL, with a line on stderr: there is none.
const struct args_command *args_command(const struct args_command *quench, const char *name);

// Prints the text of --help.
void args_help(const struct args_command *c, FILE *f);

// Prints the manual page of a command; `quench` has the others that it names.
void args_man(const struct args_command *c, const struct args_command *quench, FILE *f);

// Parts of a manual page: title and name of a page; a term with its text; a text in which troff's
// special characters are escaped and `this` is bold.
void args_man_head(const char *page, const char *section, const char *summary, FILE *f);
void args_man_entry(const char *term, const char *text, FILE *f);
void args_roff(const char *text, FILE *f);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// "quench run"; "quench" for quench itself.
char *args_title(const struct args_command *c, char *buf, size_t size);

// The option that every command has.
extern const struct args_option args_help_option;

#pragma GCC visibility pop
