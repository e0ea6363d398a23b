from mobilebert_tf.cli.examples import folded


def test_a_long_command_is_broken_before_an_option():
    assert folded("Examples\n\nmobilebert predict model --text one --json out.json", 34) == (
        "Examples\n\nmobilebert predict model \\\n--text one --json out.json")


def test_a_line_has_its_width_with_the_backslash():
    # "mobilebert a --b c" has 18 characters, and 20 with a space and a backslash.
    assert folded("mobilebert a --b c --d", 20) == "mobilebert a --b c \\\n--d"
    assert folded("mobilebert a --b c --d", 19) == "mobilebert a \\\n--b c --d"


def test_what_is_quoted_stays_whole():
    assert folded("mobilebert predict --text 'a long text' \"and another\"", 28) == (
        "mobilebert predict \\\n--text 'a long text' \\\n\"and another\"")


def test_other_paragraphs_stay_as_they_are():
    text = "The same command again continues a run that was stopped, however long that took."
    assert folded(text, 20) == text
