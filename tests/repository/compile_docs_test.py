#!/usr/bin/env python3
"""Does compile_docs.py accept pages whose C++ is good, and name page and line of each that is not?"""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import compile_docs  # noqa: E402

COMMANDS = compile_docs.compile_commands(pathlib.Path(sys.argv.pop(1)))


def complaints(*fences):
    """Of a page with these (what stands behind the ticks, text)."""
    text = "# Page\n\n" + "\n".join(f"```{info}\n{body}```\n" for info, body in fences)
    with tempfile.NamedTemporaryFile("w", suffix=".md") as page:
        page.write(text)
        page.flush()
        found, _ = compile_docs.check_page(page.name, COMMANDS)
    return "".join(found).replace(page.name, "page")


class CompileDocs(unittest.TestCase):
    def test_accepts_whole_files_and_other_languages(self):
        self.assertEqual(complaints(("cpp", '#include "hw/spec/sim_time.h"\ntwinplane::TimePs t = twinplane::ns(3);\n'),
                                    ("text", "no C++ at all\n")), "")

    def test_refuses_a_whole_file_that_does_not_compile(self):
        self.assertIn("page:6:", complaints(("cpp", '#include "hw/spec/sim_time.h"\n\ntwinplane::TimePs t = twinplane::hours(3);\n')))

    def test_refuses_names_that_the_project_does_not_have(self):
        self.assertIn("page:4:", complaints(("cpp", '#include "hw/spec/no_such_file.h"\n')))

    def test_accepts_statements_and_puts_includes_before_them(self):
        self.assertEqual(complaints(("cpp statements", '#include "hw/spec/sim_time.h"\nif (twinplane::ns(1) != 1000) return;\n')), "")

    def test_refuses_statements_with_names_that_nobody_declares(self):
        self.assertIn("page:5:", complaints(("cpp statements", "int b = 1;\nif (b != my_function()) return;\n")))

    def test_refuses_statements_that_are_not_marked(self):
        self.assertIn("page:4:", complaints(("cpp", "if (true) return;\n")))

    def test_refuses_a_word_it_does_not_know(self):
        self.assertIn("not `cpp fragment`", complaints(("cpp fragment", "int a;\n")))

    def test_puts_a_headed_piece_into_a_copy_of_the_trees_file(self):
        new = "// hw/spec/new_thing.h\nnamespace twinplane {\nconstexpr int new_thing = 1;\n}\n"
        use = '// hw/spec/new_thing.cpp\n#include "hw/spec/new_thing.h"\n#include "hw/spec/sim_time.h"\nint x = twinplane::{};\n'
        declare = "// hw/spec/sim_time.h\nconstexpr int of_the_page = 2;\n"
        good = complaints(("cpp", declare), ("cpp", new), ("cpp", use.format("new_thing + twinplane::of_the_page")))
        self.assertEqual(good, "")
        self.assertIn("gone", complaints(("cpp", declare), ("cpp", new), ("cpp", use.format("gone"))))

    def test_refuses_a_row_that_does_not_fit_its_table(self):
        path = "// firmware/ftl/policies.cpp, in {}\n"
        row = '{{"of_the_page", "a meaning", victim<{}>}},\n'
        self.assertEqual(complaints(("cpp", path.format("kVictims") + row.format("make_greedy_victim"))), "")
        self.assertIn("page:3:", complaints(("cpp", path.format("kVictims") + row.format("make_no_victim"))))
        self.assertIn("no place", complaints(("cpp", path.format("kColumns") + row.format("make_greedy_victim"))))
        self.assertIn("does not exist", complaints(("cpp", "// platform/no_such.cpp, in kRows\n{1},\n")))


if __name__ == "__main__":
    unittest.main()
