// SPDX-License-Identifier: BSD-3-Clause
// The table of a command: options, arguments, examples. Its parser, help, manual page and
// completion come from it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "conf/conf.h"

enum args_kind {
	ARGS_FLAG,   // bool; it takes no value
	ARGS_TEXT,   // const char *
	ARGS_WORD,   // an enum: the place of the value among `words`
	ARGS_NUMBER, // unsigned or uint64_t, min .. max
	ARGS_TIME,   // tstamp, above zero
	ARGS_RATE,   // uint64_t in bit/s, above zero
	ARGS_CALL,   // take() reads the value
};

// What completes a value.
enum args_fill {
	ARGS_NOTHING,
	ARGS_FILE,
	ARGS_FOLDER,
	ARGS_SCENARIO, // the name of one that comes with quench, or a file
	ARGS_COMMAND,
	ARGS_SETTING,  // PATH=VALUE of the scenario that stands on the command line
	ARGS_FIGURE,   // the path of a figure of that scenario
	ARGS_COLUMNS,  // two columns of a sweep's table, X,Y
	ARGS_REGISTER, // a register of the RDMA IP, or a field
};

struct args_option {
	const char *name;  // without its dashes
	char letter;       // "-h" of "--help"; 0: none
	const char *value; // what its value is called; NULL: `words` say it, or it is a flag
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

// A row of a table of options, which are told by their addresses so that commands can share them.
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

// What a command can end with besides 0 and 2.
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

// args_value.c: reads a value into the field of its option. -EINVAL and a line.
int args_value(const struct args_option *o, void *to, const char *value, struct err *err);

// What the value of an option has to be, "1..256" or "virtual, real or both".
char *args_wants(const struct args_option *o, char *buf, size_t size);

// args_operand.c: whether the operands are as many as the command takes, and its first one is a
// verb that it has; else a line on stderr.
bool args_operands(const struct args_command *c, int argc, char **argv);

// The command of that name; NULL, with a line on stderr: there is none.
const struct args_command *args_command(const struct args_command *quench, const char *name);

// A line on stderr behind the command's title. Returns ARGS_WRONG.
int args_complain(const struct args_command *c, const char *text);

// args_help.c: the text of --help.
void args_help(const struct args_command *c, FILE *f);

// args_text.c: its parts, which the manual page has too. "quench run"; "quench" for quench itself.
char *args_title(const struct args_command *c, char *buf, size_t size);

// The i-th way to write a command: "quench run SCENARIO [options]"; false: there are no more.
bool args_synopsis(const struct args_command *c, unsigned i, char *buf, size_t size);

// "--clock virtual|real|both", "-c, --count N".
char *args_option_left(const struct args_option *o, char *buf, size_t size);

// What an option does, with its default.
char *args_option_help(const struct args_option *o, char *buf, size_t size);

// An example in lines of 78 characters at most that a shell takes as they stand.
char *args_example(const char *text, char *buf, size_t size);

// The i-th exit status of a command and what it means; NULL: there are no more.
const char *args_status(const struct args_command *c, unsigned i, const char **meaning);

// The option that every command has.
extern const struct args_option args_help_option;

// args_man.c: the manual page of a command; `quench` has the others that it names.
void args_man(const struct args_command *c, const struct args_command *quench, FILE *f);

// Its parts: title and name of a page, a term with its text, text with what troff would take for
// its own escaped and `this` in bold.
void args_man_head(const char *page, const char *section, const char *summary, FILE *f);
void args_man_entry(const char *term, const char *text, FILE *f);
void args_roff(const char *text, FILE *f);
