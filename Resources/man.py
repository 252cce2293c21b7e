#!/usr/bin/env python3
"""Generates manual pages from the program's own help: one for the program and one per command.

    postilla --experimental-dump-help | man.py FOLDER VERSION

Uses man(7) macros only, so that any man program can display the pages.
"""
import json
import pathlib
import sys

ENVIRONMENT = [
    ("POSTILLA_SERVER", "The server, if no argument names one."),
    ("POSTILLA_TOKEN_FILE, POSTILLA_TOKEN", "A file with the token, or the token itself."),
    ("POSTILLA_DATA", "The data folder, instead of $XDG_DATA_HOME/postilla."),
    ("POSTILLA_CONFIG", "The settings file, instead of $XDG_CONFIG_HOME/postilla/config.toml."),
    ("VISUAL, EDITOR", "The editor for texts."),
    ("NO_COLOR", "Disables colours if it is not empty."),
]
STATUSES = [
    ("0", "done"), ("1", "failed"), ("3", "authentication"), ("4", "not permitted"), ("5", "server unreachable"),
    ("6", "conflict"), ("64", "usage, or no usable terminal"), ("130", "interrupted"),
]


def escaped(text):
    """Escapes text for roff: hyphens stay hyphens, and no line becomes a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def paragraphs(text):
    """Formats running text as filled; indented lines stay unfilled."""
    lines = []
    is_set = False
    for line in text.split("\n"):
        stands_in = line.startswith(" ")
        if stands_in != is_set:
            lines.append(".nf" if stands_in else ".fi")
            is_set = stands_in
        lines.append(escaped(line) if line.strip() else ".PP")
    return lines + ([".fi"] if is_set else [])


def name(argument, of="names"):
    return [("-" if n["kind"] == "short" else "--") + n["name"] for n in argument.get(of, [])]


def synopsis(command, words):
    parts = ["\\fB" + escaped(" ".join(words)) + "\\fR"]
    if command.get("subcommands"):
        parts.append("\\fIcommand\\fR ...")
    for argument in shown(command):
        value = argument.get("valueName", "")
        if argument["kind"] == "positional":
            text = "\\fI" + escaped(value) + "\\fR"
        else:
            preferred = argument["preferredName"]
            text = "\\fB" + escaped(name({"names": [preferred]})[0]) + "\\fR"
            if argument["kind"] == "option":
                text += " \\fI" + escaped(value) + "\\fR"
        if argument.get("isRepeating"):
            text += " ..."
        parts.append("[" + text + "]" if argument["isOptional"] else text)
    return " ".join(parts)


def shown(command):
    return [a for a in command.get("arguments", []) if a.get("shouldDisplay", True)]


def options(command):
    lines = []
    for argument in shown(command):
        value = "\\fI" + escaped(argument.get("valueName", "")) + "\\fR"
        if argument["kind"] == "positional":
            label = value
        else:
            label = ", ".join("\\fB" + escaped(n) + "\\fR" for n in name(argument))
            label += " " + value if argument["kind"] == "option" else ""
        lines += [".TP", label, escaped(argument.get("abstract", "").strip())]
        if argument.get("allValues"):
            lines.append("One of " + escaped(", ".join(argument["allValues"])) + ".")
        if argument.get("defaultValue") not in (None, ""):
            lines.append("Default: " + escaped(argument["defaultValue"]) + ".")
    return lines


def page(command, words, version):
    title = "-".join(words)
    lines = [
        '.TH "%s" 1 "" "postilla %s" "User commands"' % (title.upper(), version),
        ".SH NAME", escaped(title) + " \\- " + escaped(command.get("abstract", "").rstrip(".")),
        ".SH SYNOPSIS", synopsis(command, words),
    ]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION"] + paragraphs(command["discussion"])
    if shown(command):
        lines += [".SH OPTIONS"] + options(command)
    below = [c for c in command.get("subcommands", []) if c.get("shouldDisplay", True) and c["commandName"] != "help"]
    if below:
        lines.append(".SH COMMANDS")
        for each in below:
            reference = "-".join(words + [each["commandName"]])
            lines += [".TP", "\\fB" + escaped(reference) + "\\fR(1)", escaped(each.get("abstract", ""))]
    lines.append(".SH ENVIRONMENT")
    for variable, meaning in ENVIRONMENT:
        lines += [".TP", "\\fB" + escaped(variable) + "\\fR", escaped(meaning)]
    lines.append(".SH EXIT STATUS")
    for status, meaning in STATUSES:
        lines += [".TP", status, escaped(meaning)]
    if len(words) > 1:
        lines += [".SH SEE ALSO", "\\fB" + escaped("-".join(words[:-1])) + "\\fR(1)"]
    return "\n".join(lines) + "\n"


def write(command, words, folder, version):
    (folder / ("-".join(words) + ".1")).write_text(page(command, words, version))
    count = 1
    for each in command.get("subcommands", []):
        if each.get("shouldDisplay", True) and each["commandName"] != "help":
            count += write(each, words + [each["commandName"]], folder, version)
    return count


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    command = json.load(sys.stdin)["command"]
    print("%d pages in %s: man %s/postilla.1" % (write(command, ["postilla"], folder, sys.argv[2]), folder, folder))


main()
