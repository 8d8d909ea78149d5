/* Function names, cut down to what a person would write. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "omp_ext/source/source_inside.h"
#include "tests/support/unit.h"

static void expect_cut(void (*cut)(char *), const char *name, const char *expected)
{
    char text[256];

    strcpy(text, name);
    cut(text);
    assert_string_equal(text, expected);
}

TEST(suffixes_of_the_compiler_are_cut_off)
{
    expect_cut(keel_name_text_cut_suffix, "render._omp_fn.0", "render");
    expect_cut(keel_name_text_cut_suffix, "render.constprop.0.isra.1", "render");
    expect_cut(keel_name_text_cut_suffix, "render.part.0", "render");
    expect_cut(keel_name_text_cut_suffix, "render.lto_priv.3._omp_fn.12", "render");
    expect_cut(keel_name_text_cut_suffix, "render", "render");
    expect_cut(keel_name_text_cut_suffix, "", "");
}

TEST(outlined_functions_are_told_by_their_suffix)
{
    assert_true(keel_name_text_is_outlined("render._omp_fn.0"));
    assert_true(keel_name_text_is_outlined("render._omp_fn.0.constprop.1"));
    assert_false(keel_name_text_is_outlined("render.constprop.0"));
    assert_false(keel_name_text_is_outlined("my_omp_fn"));
}

TEST(template_arguments_are_cut_off)
{
    expect_cut(keel_name_text_cut_template, "scale<double>", "scale");
    expect_cut(keel_name_text_cut_template, "scale<a<b>, c>", "scale");
    expect_cut(keel_name_text_cut_template, "operator<", "operator<");
    expect_cut(keel_name_text_cut_template, "scale", "scale");
}

TEST(signatures_are_reduced_to_the_qualified_name)
{
    expect_cut(keel_name_text_cut_signature, "render(double*, int)", "render");
    expect_cut(keel_name_text_cut_signature, "ns::image::render(int) const", "ns::image::render");
    expect_cut(keel_name_text_cut_signature,
               "std::vector<int> ns::image<a<b> >::scale<double>(double, void (*)(int))",
               "ns::image::scale");
    expect_cut(keel_name_text_cut_signature, "ns::(anonymous namespace)::hidden(double*, int)",
               "ns::hidden");
    expect_cut(keel_name_text_cut_signature, "(anonymous namespace)::hidden()", "hidden");
    expect_cut(keel_name_text_cut_signature,
               "ns::outer(double*, int)::{lambda(int)#1}::operator()(int) const",
               "ns::outer::operator()");
    expect_cut(keel_name_text_cut_signature, "image::name[abi:cxx11]() const", "image::name");
    expect_cut(keel_name_text_cut_signature, "main", "main");
    expect_cut(keel_name_text_cut_signature, "unclosed(", "unclosed");
    expect_cut(keel_name_text_cut_signature, "", "");
}
