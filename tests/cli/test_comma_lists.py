import pytest

from mobilebert_tf.cli import comma_lists
from mobilebert_tf.errors import InputError


def test_names_lose_the_spaces_around_them_and_empty_ones_are_none():
    assert comma_lists.names(" int8 ,float 32,,", "--recipes") == ("int8", "float 32")
    assert comma_lists.names(None, "--recipes") is None


def test_numbers_are_whole():
    assert comma_lists.numbers("64, 128,", "--lengths") == (64, 128)
    assert comma_lists.numbers(None, "--lengths") is None
    for wrong in ("64,long", "6.5", "64;128"):
        with pytest.raises(InputError, match=f"^--depths should be whole numbers .*: {wrong}$"):
            comma_lists.numbers(wrong, "--depths")


@pytest.mark.parametrize("read", [comma_lists.names, comma_lists.numbers])
@pytest.mark.parametrize("text", ["", " , "])
def test_a_list_of_nothing_is_refused(read, text):
    with pytest.raises(InputError, match="^--lengths is empty: give it a value, or leave it out$"):
        read(text, "--lengths")
